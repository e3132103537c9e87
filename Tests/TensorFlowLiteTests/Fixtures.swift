import Foundation
import Imaging

/// The locations of models and images that are not part of the project.
enum Fixtures {
  static let shared: URL = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_SHARED"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return root.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
  }()

  /// The network that encodes a painting as a vector of 100 numbers.
  static let predictor: URL = shared.appendingPathComponent(
    "models/tflite-style/style_predict.tflite")
  /// The network that paints a photo in the style that such a vector encodes.
  static let transformer: URL = shared.appendingPathComponent(
    "models/tflite-style/style_transfer.tflite")

  static var areAvailable: Bool {
    [predictor, transformer, photo("skimage-chelsea.png")].allSatisfy {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }

  static func photo(_ name: String) -> URL {
    shared.appendingPathComponent("pictures/photos/\(name)")
  }

  /// Returns the central square of a photo as float32 numbers of 0…1, resampled by nearest neighbour.
  static func middle(of name: String, size: Int) throws -> Data {
    let picture = try Picture(contentsOf: photo(name)).withoutAlpha
    let side: Int = min(picture.width, picture.height)
    let (left, top) = ((picture.width - side) / 2, (picture.height - side) / 2)
    let pixels: [UInt8] = picture.pixels
    func nearest(_ index: Int) -> Int { (2 * index + 1) * side / (2 * size) }
    var values: [Float] = []
    values.reserveCapacity(size * size * 3)
    for row in 0..<size {
      for column in 0..<size {
        let first: Int = ((top + nearest(row)) * picture.width + left + nearest(column)) * 3
        for channel in 0..<3 { values.append(Float(pixels[first + channel]) / 255) }
      }
    }
    return values.withUnsafeBytes { Data($0) }
  }
}
