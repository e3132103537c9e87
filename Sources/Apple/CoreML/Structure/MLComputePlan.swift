import Foundation
import ModelFormat

/// Where the parts of a model are computed, and what share of the work each of them is.
public final class MLComputePlan: Sendable {
  /// Where a part of a model is computed.
  public struct DeviceUsage: Sendable {
    /// The devices that can compute it.
    public let supported: [MLComputeDevice]
    /// The device that will compute it.
    public let preferred: MLComputeDevice
  }

  /// What an operation costs.
  public struct Cost: Sendable {
    /// Its share of the whole function's work, 0 to 1.
    public let weight: Double
  }

  /// What the model is made of.
  public let modelStructure: MLModelStructure
  private let parts: ComputedParts

  /// Loads a model's plan without blocking the caller.
  ///
  /// - Throws: ``MLModelError`` when the model cannot be loaded.
  public static func load(
    contentsOf url: URL, configuration: MLModelConfiguration
  ) async throws -> MLComputePlan {
    let copy = HandedOver(configuration.duplicate())
    return try await BackgroundWork.result {
      HandedOver(try MLComputePlan(contentsOf: url, configuration: copy.value))
    }
  }

  /// Loads the plan of a model that is in memory, or on disk and not loaded yet.
  ///
  /// - Throws: ``MLModelError`` when the model cannot be loaded.
  public static func load(
    asset: MLModelAsset, configuration: MLModelConfiguration
  ) async throws -> MLComputePlan {
    let copy = HandedOver(configuration.duplicate())
    return try await BackgroundWork.result {
      HandedOver(try MLComputePlan(asset.file, configuration: copy.value))
    }
  }

  /// Loads a model's plan.
  package convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
    try self.init(try ModelFile.open(url, configuration), configuration: configuration)
  }

  private init(_ file: ModelFile, configuration: MLModelConfiguration) throws {
    let structure = MLModelStructure(file.model)
    modelStructure = structure
    parts = try translatingErrors {
      try ComputedParts(structure, of: file, configuration: configuration)
    }
  }

  /// Where an operation is computed; nil for constants, and for operations of functions that the
  /// configuration does not name.
  public func deviceUsage(for operation: MLModelStructure.Program.Operation) -> DeviceUsage? {
    usage(ofPart: operation.number)
  }

  /// Where a layer is computed.
  public func deviceUsage(for layer: MLModelStructure.NeuralNetwork.Layer) -> DeviceUsage? {
    usage(ofPart: layer.number)
  }

  /// What an operation costs; nil for constants, and for operations of functions that the configuration does
  /// not name.
  ///
  /// Estimated from the multiplications and the memory that the operation takes at the shapes that the model
  /// declares; the body of a loop counts as one turn.
  public func estimatedCost(of operation: MLModelStructure.Program.Operation) -> Cost? {
    parts.weights[operation.number].map(Cost.init)
  }

  /// The share of the work of a part by its number; nil for what is not computed.
  package func weight(ofPart number: Int) -> Double? { parts.weights[number] }

  /// Whether a part by its number is computed.
  package func isComputed(_ number: Int) -> Bool { parts.numbers.contains(number) }

  private func usage(ofPart number: Int) -> DeviceUsage? {
    guard parts.numbers.contains(number) else { return nil }
    let processor: MLComputeDevice = .cpu(.shared)
    return DeviceUsage(supported: [processor], preferred: processor)
  }
}
