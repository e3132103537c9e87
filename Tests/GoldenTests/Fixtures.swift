import CoreML
import Testing

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

  static func model(_ path: String) -> URL { shared.appendingPathComponent("models/\(path)") }

  static func photo(_ name: String) -> URL {
    shared.appendingPathComponent("pictures/photos/\(name)")
  }

  /// Returns the location of a file in the repository next to these tests.
  static func expectation(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("Expected/\(name)")
  }

  static var areAvailable: Bool {
    FileManager.default.fileExists(atPath: shared.appendingPathComponent("golden").path)
  }

  /// Calls the closure with an empty folder and removes the folder afterwards.
  static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("GoldenTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}

/// A precision and its bound. For samples of 0…255, the results in this precision may differ from ONNX Runtime's
/// float32 results by at most the bound on average.
struct Exactness: Sendable, CustomTestStringConvertible {
  let units: MLComputeUnits
  let bound: Double

  var testDescription: String { "\(units)" }

  static let both = [
    Exactness(units: .cpuOnly, bound: 0.05), Exactness(units: .all, bound: 0.8),
  ]

  var configuration: MLModelConfiguration {
    let result = MLModelConfiguration()
    result.computeUnits = units
    return result
  }
}

/// Returns the mean absolute difference of two arrays. It is infinite if a difference is NaN or the lengths differ.
func meanDifference(_ first: [Float], _ second: [Float]) -> Double {
  guard first.count == second.count, !first.isEmpty else { return .infinity }
  var sum: Double = 0
  for index in first.indices { sum += Double(abs(first[index] - second[index])) }
  return sum.isNaN ? .infinity : sum / Double(first.count)
}

extension MLMultiArray {
  /// The elements in row-major order.
  var floats: [Float] {
    get throws {
      let copy = try MLMultiArray(shape: shape, dataType: .float32)
      transfer(to: copy)
      return copy.withUnsafeBufferPointer(ofType: Float.self) { Array($0) }
    }
  }
}

extension CVPixelBuffer {
  /// Creates a 32BGRA image. The closure returns the red, green or blue sample (channel 0, 1, 2) of each pixel.
  static func picture(
    width: Int, height: Int, _ colour: (_ x: Int, _ y: Int, _ channel: Int) -> UInt8
  ) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_32BGRA, nil, &made)
    let buffer = try #require(made)
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let base = try #require(CVPixelBufferGetBaseAddress(buffer))
    for y in 0..<height {
      for x in 0..<width {
        let offset: Int = y * CVPixelBufferGetBytesPerRow(buffer) + x * 4
        for channel in 0..<3 {
          base.storeBytes(
            of: colour(x, y, channel), toByteOffset: offset + 2 - channel, as: UInt8.self)
        }
        base.storeBytes(of: 255, toByteOffset: offset + 3, as: UInt8.self)
      }
    }
    return buffer
  }

  /// The red, green and blue samples of each pixel, row by row.
  var colours: [Float] {
    CVPixelBufferLockBaseAddress(self, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(self, .readOnly) }
    guard CVPixelBufferGetPixelFormatType(self) == kCVPixelFormatType_32BGRA,
      let base = CVPixelBufferGetBaseAddress(self)
    else { return [] }
    let (width, height) = (CVPixelBufferGetWidth(self), CVPixelBufferGetHeight(self))
    var result: [Float] = []
    result.reserveCapacity(width * height * 3)
    for row in 0..<height {
      let pixels = base.advanced(by: row * CVPixelBufferGetBytesPerRow(self))
        .assumingMemoryBound(to: UInt8.self)
      for column in 0..<width {
        for component in [2, 1, 0] { result.append(Float(pixels[column * 4 + component])) }
      }
    }
    return result
  }
}
