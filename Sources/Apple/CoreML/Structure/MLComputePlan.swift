import Foundation
import ModelFormat
import Platform

/// The compute devices and the estimated costs of a model's layers and operations.
public final class MLComputePlan: Sendable {
  /// The devices for a layer or an operation of a model.
  public struct DeviceUsage: Sendable {
    /// The devices that can compute the layer or the operation.
    public let supported: [MLComputeDevice]
    /// The device that will compute the layer or the operation.
    public let preferred: MLComputeDevice
  }

  /// The estimated cost of an operation.
  public struct Cost: Sendable {
    /// The fraction, 0 to 1, of the total cost of the function that contains the operation.
    public let weight: Double
  }

  /// The structure of the model.
  public let modelStructure: MLModelStructure
  private let parts: ComputedParts

  /// Loads the plan of a model without blocking the caller.
  ///
  /// - Throws: ``MLModelError`` when the model cannot be loaded.
  public static func load(
    contentsOf url: URL, configuration: MLModelConfiguration
  ) async throws -> MLComputePlan {
    let copy = SendableBox(configuration.duplicate())
    return try await BackgroundWork.result {
      SendableBox(try MLComputePlan(contentsOf: url, configuration: copy.value))
    }
  }

  /// Loads the plan of an asset without blocking the caller.
  ///
  /// - Throws: ``MLModelError`` when the model cannot be loaded.
  public static func load(
    asset: MLModelAsset, configuration: MLModelConfiguration
  ) async throws -> MLComputePlan {
    let copy = SendableBox(configuration.duplicate())
    return try await BackgroundWork.result {
      SendableBox(try MLComputePlan(asset.file, configuration: copy.value))
    }
  }

  /// Loads the plan of a model.
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

  /// Returns the devices for an operation. Returns nil for a constant, and for an operation of a function that the
  /// configuration does not select.
  public func deviceUsage(for operation: MLModelStructure.Program.Operation) -> DeviceUsage? {
    usage(ofPart: operation.number)
  }

  /// Returns the devices for a layer.
  public func deviceUsage(for layer: MLModelStructure.NeuralNetwork.Layer) -> DeviceUsage? {
    usage(ofPart: layer.number)
  }

  /// Returns the estimated cost of an operation. Returns nil for a constant, and for an operation of a function that
  /// the configuration does not select.
  ///
  /// The estimate depends on the multiplications and the memory traffic with the declared shapes. For a loop, the
  /// estimate includes one iteration.
  public func estimatedCost(of operation: MLModelStructure.Program.Operation) -> Cost? {
    parts.weights[operation.number].map(Cost.init)
  }

  /// Returns the weight of the operation with the given number: the fraction, 0 to 1, of its function's total cost.
  /// Returns nil if predictions do not compute the operation.
  package func weight(ofPart number: Int) -> Double? { parts.weights[number] }

  /// Returns whether predictions compute the layer or operation with the given number.
  package func isComputed(_ number: Int) -> Bool { parts.numbers.contains(number) }

  private func usage(ofPart number: Int) -> DeviceUsage? {
    guard parts.numbers.contains(number) else { return nil }
    let processor: MLComputeDevice = .cpu(.shared)
    return DeviceUsage(supported: [processor], preferred: processor)
  }
}
