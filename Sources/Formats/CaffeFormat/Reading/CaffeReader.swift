import Foundation
import Graph
import ModelFormat

/// Reads Caffe networks: a `.prototxt` with the `.caffemodel` that holds its weights, or a `.caffemodel` alone. A
/// `.caffemodel` also contains the architecture of the network in training.
///
/// Inputs and outputs have the axis order of Caffe's blobs, `[N, C, H, W]`. The batch size is 1 unless
/// ``ReadingOptions/extents`` states another. The reader drops layers that only training needs.
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

  /// Returns the architecture file and the weights file. `url` is one of these two files. The other file is among
  /// `options.companions`, or has the same name as `url` in the same folder.
  private static func files(_ url: URL, _ options: ReadingOptions) throws -> (URL, URL?) {
    func found(_ fileExtension: String) -> URL? {
      let companion: URL? = options.companions.first {
        $0.pathExtension.lowercased() == fileExtension
      }
      if let companion { return companion }
      let sibling: URL = url.deletingPathExtension().appendingPathExtension(fileExtension)
      return FileManager.default.fileExists(atPath: sibling.path) ? sibling : nil
    }
    if url.pathExtension.lowercased() == "prototxt" { return (url, found("caffemodel")) }
    return found("prototxt").map { ($0, url) } ?? (url, nil)
  }

  /// Reads the network in a file, in text or binary form.
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

  /// Reads a mean-image file (`.binaryproto`). Returns the mean of each channel over all pixels, in the network's
  /// channel order: blue, green, red.
  ///
  /// - Throws: ``EngineError`` if the file is not a mean image.
  public static func means(in url: URL) throws -> [Float] {
    do {
      let bytes: ByteValues = try MappedFile(path: url.path).bytes
      let blob = try CaffeBlob(try CaffeBinary.message(bytes, "Blob"))
      let shape: [Int] = Array(blob.shape.suffix(3))
      guard shape.count == 3, blob.count > 0, shape.product == blob.count, shape[0] <= 4 else {
        throw EngineError(
          .invalidModel,
          "the mean image has the shape \(Shape(blob.shape)), expected C × H × W.")
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
