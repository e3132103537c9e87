import Imaging

extension Picture {
  /// The colours as an array `[3, height, width]` of 0…255: the red plane, the green plane, the blue plane.
  public var planes: [Float] {
    let area: Int = width * height
    var result = [Float](repeating: 0, count: area * 3)
    withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      result.withUnsafeMutableBufferPointer { (planes: inout UnsafeMutableBufferPointer<Float>) in
        for index in 0..<area {
          planes[index] = Float(pixels[index * 3])
          planes[area + index] = Float(pixels[index * 3 + 1])
          planes[area * 2 + index] = Float(pixels[index * 3 + 2])
        }
      }
    }
    return result
  }

  /// Creates a picture from an array `[3, height, width]` of 0…255. Rounds and clamps values, and converts NaN to 0.
  public init(width: Int, height: Int, planes: some Collection<Float>) throws {
    let area: Int = width * height
    guard planes.count == area * 3 else {
      throw StyleTransferError(
        .input,
        "A picture of \(width) × \(height) has \(area * 3) samples, but \(planes.count) were given."
      )
    }
    let values: [Float] = Array(planes)
    try self.init(width: width, height: height) { (pixels: UnsafeMutableBufferPointer<UInt8>) in
      for index in 0..<area {
        for channel in 0..<3 {
          let value: Float = values[channel * area + index]
          pixels[index * 3 + channel] = UInt8(min(255, max(0, value.isNaN ? 0 : value.rounded())))
        }
      }
    }
  }
}
