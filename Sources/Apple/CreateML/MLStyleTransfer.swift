import CoreGraphics
import CoreML
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Platform
import StyleTransfer

/// A network that repaints images in the style of a painting.
public struct MLStyleTransfer: CustomStringConvertible {
  /// The default arguments of ``ModelParameters``' initialiser.
  public enum __Defaults {
    /// The maximum number of iterations.
    public static let maxIterations: Int = 500
    /// The shorter side of the painting in pixels.
    public static let textelDensity: Int = 256
    /// The strength of the style relative to the content, 1 to 10.
    public static let styleStrength: Int = 5
  }

  let network: StyleNetwork
  private let summary: String
  /// The painter of images; nil before the first image. Copies of this value share the painter.
  private let painter: Locked<Painter?>

  init(_ network: StyleNetwork, description: String) {
    self.network = network
    summary = description
    painter = Locked(nil)
  }

  /// Trains a model. Blocks until the training is finished.
  public init(trainingData: DataSource, parameters: ModelParameters = .init()) throws {
    let session = try Self.makeTrainingSession(trainingData: trainingData, parameters: parameters)
    self = try StyleSession.run(session, job: nil)
  }

  /// Loads the model of a checkpoint.
  public init(checkpoint: MLCheckpoint) throws {
    let file: ModelFile = try creating { try ModelFile.open(checkpoint.url) }
    let key: String = StyleNetwork.algorithmKey
    let name: String = file.model.description?.metadata?.userDefined[key] ?? ""
    guard let algorithm = StyleAlgorithm(rawValue: name) else {
      throw MLCreateError.type(
        reason: "'\(checkpoint.url.path)' is not a checkpoint of a style: it names no algorithm.")
    }
    network = try creating {
      try StyleNetwork(algorithm, reading: file.model, name: checkpoint.url.lastPathComponent)
    }
    summary = "Style transfer (\(name)), iteration \(checkpoint.iteration)"
    painter = Locked(nil)
  }

  /// The architecture and the number of iterations as text.
  public var description: String { summary }

  /// Repaints an image in the style, at its full size.
  ///
  /// The first call opens the model. The first call for each image size plans the computation.
  public func stylize(image: CGImage) throws -> CGImage? {
    try creating { CGImage(try openedPainter().paint(image.picture).picture) }
  }

  /// Returns the painter. Opens it at the first call.
  func openedPainter() throws -> Painter {
    try painter.withLock { known in
      if let known { return known }
      let opened: Painter = try network.painter()
      known = opened
      return opened
    }
  }

  /// Writes the model to a `.mlmodel` file with float16 weights.
  public func write(to fileURL: URL, metadata: MLModelMetadata? = .init()) throws {
    let metadata: MLModelMetadata = metadata ?? MLModelMetadata()
    let description = StyleNetwork.Description(
      summary: metadata.shortDescription, author: metadata.author,
      license: metadata.license ?? "", version: metadata.version,
      additional: metadata.additional ?? [:])
    try creating { try network.model(description: description).write(to: fileURL) }
  }

  /// Writes the model to a path. See ``write(to:metadata:)``.
  public func write(toFile path: String, metadata: MLModelMetadata? = .init()) throws {
    try write(to: URL(fileURLWithPath: path), metadata: metadata)
  }

  /// Downloads VGG-16, the network that computes the losses, if its file does not exist.
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

/// Calls `body` and converts errors that `body` throws into ``MLCreateError``.
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
