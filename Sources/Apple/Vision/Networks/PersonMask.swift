import CVision
import CoreVideo
import Imaging
import ModelTools

/// A mask of the persons in a picture: 1 for a person, 0 for the background.
struct PersonMask {
  /// The values of the mask, row by row.
  let values: [Float]
  /// The number of columns, and also of rows.
  let side: Int

  /// The pixel formats of masks.
  static let formats: [OSType] = [
    kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent16Half,
    kCVPixelFormatType_OneComponent32Float,
  ]

  /// Separates persons from the background. The mask covers the complete picture, stretched to a square.
  init(_ picture: Picture) throws {
    let network: LandmarkNetwork = try .opened(.personSegmentation)
    side = network.side
    let outputs: [[Float]] = try network.run(picture, .whole(picture), range: 0...1, border: .black)
    guard let mask = outputs.first, mask.count == side * side else {
      throw VNError(
        .invalidModel,
        "The network for persons has another output than expected. Fetch it again: `atelier fetch vision"
          + " --force`.")
    }
    values = mask
  }

  /// Returns the mask in another size, as a pixel buffer with one component.
  func pixelBuffer(width: Int, height: Int, format: OSType) throws -> CVPixelBuffer {
    guard Self.formats.contains(format) else {
      throw VNError(
        .invalidFormat,
        "A mask cannot have the pixel format \(format). Set the output's pixel format to"
          + " kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent16Half or"
          + " kCVPixelFormatType_OneComponent32Float.")
    }
    var scaled = [Float](repeating: 0, count: width * height)
    values.withUnsafeBufferPointer { from in
      scaled.withUnsafeMutableBufferPointer { to in
        guard let source = from.baseAddress, let target = to.baseAddress else { return }
        // Safe: the mask has side × side numbers, and the new array has width × height.
        cvision_scale_mask(
          source, Int32(side), Int32(side), Int32(width), Int32(height), target)
      }
    }
    var created: CVPixelBuffer?
    guard
      CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &created)
        == kCVReturnSuccess, let buffer = created
    else {
      throw VNError(
        .outOfMemory,
        "There is no memory for a mask of \(width) × \(height). Use a smaller picture.")
    }
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    guard let rows = CVPixelBufferGetBaseAddress(buffer) else {
      throw VNError(.outOfMemory, "A mask of \(width) × \(height) has no memory.")
    }
    let rowBytes: Int = CVPixelBufferGetBytesPerRow(buffer)
    for y in 0..<height {
      let row: UnsafeMutableRawPointer = rows + y * rowBytes
      let line: ArraySlice<Float> = scaled[y * width..<(y + 1) * width]
      // Safe: each row of the buffer has space for `width` components of the format.
      switch format {
      case kCVPixelFormatType_OneComponent8:
        line.withUnsafeBufferPointer { numbers in
          guard let from = numbers.baseAddress else { return }
          cvision_bytes(from, width, row.assumingMemoryBound(to: UInt8.self))
        }
      case kCVPixelFormatType_OneComponent16Half:
        let target = row.assumingMemoryBound(to: Float16.self)
        for (x, value) in line.enumerated() { target[x] = Float16(value) }
      default:
        let target = row.assumingMemoryBound(to: Float.self)
        for (x, value) in line.enumerated() { target[x] = value }
      }
    }
    return buffer
  }
}
