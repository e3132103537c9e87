import Foundation
import Graph
import ModelFormat

/// Reads Caffe's networks: a `.prototxt` with the `.caffemodel` of its weights, or a `.caffemodel` alone, which
/// holds the network that it was trained in.
///
/// Inputs and outputs have the order of Caffe's blobs, `[N, C, H, W]`; the batch is 1 unless
/// ``ReadingOptions/extents`` says otherwise. Layers of training alone are left out.
///
/// **Source:** Jia et al., “Caffe: Convolutional Architecture for Fast Feature Embedding”, arXiv:1408.5093.
public enum CaffeReader: ModelReader {
  public static let formatName = "Caffe"

  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    ["prototxt", "caffemodel"].contains(url.pathExtension.lowercased())
  }

  public static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel {
    let (architecture, weights) = try files(url, options)
    let network = try CaffeNetwork(
      architecture: try message(architecture), weights: try weights.map(message),
      names: (architecture.lastPathComponent, weights?.lastPathComponent))
    return try CaffeBuilder(network, options).model()
  }

  /// The file of the architecture and that of the weights: those that are given, or one beside the other under
  /// the same name.
  private static func files(_ url: URL, _ options: ReadingOptions) throws -> (URL, URL?) {
    func found(_ end: String) -> URL? {
      if let given = options.companions.first(where: { $0.pathExtension.lowercased() == end }) {
        return given
      }
      let beside: URL = url.deletingPathExtension().appendingPathExtension(end)
      return FileManager.default.fileExists(atPath: beside.path) ? beside : nil
    }
    if url.pathExtension.lowercased() == "prototxt" { return (url, found("caffemodel")) }
    return found("prototxt").map { ($0, url) } ?? (url, nil)
  }

  /// The network in a file, in text or in the binary form.
  private static func message(_ url: URL) throws -> CaffeMessage {
    do {
      let bytes: ByteValues = try MappedFile(path: url.path).bytes
      if url.pathExtension.lowercased() == "prototxt" {
        return try CaffeText.message(bytes.array())
      }
      return try CaffeBinary.message(bytes)
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }

  /// The means of each channel in a file (`.binaryproto`), averaged over the picture, in the order of the
  /// network's channels: blue, green, red.
  ///
  /// - Throws: ``EngineError`` for a file that is no picture of means.
  public static func means(in url: URL) throws -> [Float] {
    do {
      let bytes: ByteValues = try MappedFile(path: url.path).bytes
      let blob = try CaffeBlob(try CaffeBinary.message(bytes, "Blob"))
      let shape: [Int] = Array(blob.shape.suffix(3))
      guard shape.count == 3, blob.count > 0, shape.product == blob.count, shape[0] <= 4 else {
        throw EngineError(
          .invalidModel,
          "a picture of \(Shape(blob.shape)) is no mean of pictures, expected C × H × W.")
      }
      let values: [Float] = try blob.constant(Shape(shape), "the means").floats()
      let size: Int = shape[1] * shape[2]
      return (0..<shape[0]).map { channel in
        let plane = values[channel * size..<(channel + 1) * size]
        return Float(plane.reduce(0) { $0 + Double($1) } / Double(size))
      }
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }
}
