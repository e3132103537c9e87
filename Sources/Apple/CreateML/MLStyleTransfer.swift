import CoreGraphics
import CoreML
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Platform
import StyleTransfer

/// A network that paints pictures in the style of one painting, and its training.
public struct MLStyleTransfer: CustomStringConvertible {
  /// What models of this kind have as defaults.
  public enum __Defaults {
    /// The most steps.
    public static let maxIterations: Int = 500
    /// The shorter side of the painting in pixels.
    public static let textelDensity: Int = 256
    /// How much of the style there is to be.
    public static let styleStrength: Int = 5
  }

  let network: StyleNetwork
  private let words: String
  /// Made by the first picture that is painted, and shared by copies of the model.
  private let painter: Locked<Painter?>

  init(_ network: StyleNetwork, description: String) {
    self.network = network
    words = description
    painter = Locked(nil)
  }

  /// Trains a model; returns when it is done.
  public init(trainingData: DataSource, parameters: ModelParameters = .init()) throws {
    let session = try Self.makeTrainingSession(trainingData: trainingData, parameters: parameters)
    self = try StyleSession.run(session, job: nil)
  }

  /// The model of a checkpoint.
  public init(checkpoint: MLCheckpoint) throws {
    let file: ModelFile = try creating { try ModelFile.open(checkpoint.url) }
    let key: String = StyleNetwork.algorithmKey
    let name: String = file.model.description?.metadata?.userDefined[key] ?? ""
    guard let algorithm = StyleAlgorithm(rawValue: name) else {
      throw MLCreateError.type(
        reason: "'\(checkpoint.url.path)' is no checkpoint of a style; it names no algorithm.")
    }
    network = try creating {
      try StyleNetwork(algorithm, reading: file.model, name: checkpoint.url.lastPathComponent)
    }
    words = "Style transfer (\(name)), iteration \(checkpoint.iteration)"
    painter = Locked(nil)
  }

  /// What the model is.
  public var description: String { words }

  /// The picture painted in the style, at its own size.
  ///
  /// The first picture opens the model, and the first of each size plans how that is painted.
  public func stylize(image: CGImage) throws -> CGImage? {
    try creating { CGImage(try openedPainter().paint(image.picture).picture) }
  }

  /// The painter, opened once.
  func openedPainter() throws -> Painter {
    try painter.withLock { known in
      if let known { return known }
      let opened: Painter = try network.painter()
      known = opened
      return opened
    }
  }

  /// Writes the model as `.mlmodel`, half-precision.
  public func write(to fileURL: URL, metadata: MLModelMetadata? = .init()) throws {
    let metadata: MLModelMetadata = metadata ?? MLModelMetadata()
    let description = StyleNetwork.Description(
      summary: metadata.shortDescription, author: metadata.author,
      license: metadata.license ?? "", version: metadata.version,
      additional: metadata.additional ?? [:])
    try creating { try network.model(description: description).write(to: fileURL) }
  }

  /// Writes the model to a path; see ``write(to:metadata:)``.
  public func write(toFile path: String, metadata: MLModelMetadata? = .init()) throws {
    try write(to: URL(fileURLWithPath: path), metadata: metadata)
  }

  /// Fetches VGG-16, which losses are measured with, where it is not there yet.
  public static func downloadAssets() throws {
    guard !FetchableModel.vgg16.isFetched() else { return }
    let scratch: URL = FileManager.default.temporaryDirectory.appendingPathComponent(
      "createml-\(UUID().uuidString)", isDirectory: true)
    try creating {
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: scratch) }
      _ = try FetchableModel.vgg16.fetch(scratch: scratch)
    }
  }
}

/// Does work whose errors become Create ML's.
func creating<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as MLCreateError {
    throw error
  } catch let error as StyleTransferError {
    switch error.code {
    case .file: throw MLCreateError.io(reason: error.message)
    case .network: throw MLCreateError.type(reason: error.message)
    default: throw MLCreateError.generic(reason: error.message)
    }
  } catch let error as ImagingError {
    throw MLCreateError.io(reason: error.message)
  } catch {
    throw MLCreateError.generic(reason: "\(error)")
  }
}
