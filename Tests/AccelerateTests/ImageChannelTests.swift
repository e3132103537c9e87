import Accelerate
import Testing

private typealias Reorder = (
  UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>, vImage_Flags
) -> vImage_Error
private typealias AddAlpha = (
  UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>?, Pixel_8,
  UnsafePointer<vImage_Buffer>, Bool, vImage_Flags
) -> vImage_Error

private typealias Blend = (
  UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>,
  vImage_Flags
) -> vImage_Error

@Suite struct ImageChannelTests {
  private func image(_ size: [Int], _ channels: Int, seed: Int = 0) -> TestImage<UInt8> {
    TestImage(size[0], size[1], channels) { x, y, c in
      UInt8(truncatingIfNeeded: x * 41 + y * 83 + c * 61 + seed * 17)
    }
  }

  /// Returns a · b / 255, rounded.
  private func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    UInt8((Double(a) * Double(b) / 255).rounded())
  }

  @Test("Pixels change the order and the number of their channels", arguments: ImageTests.sizes)
  func reorders(size: [Int]) {
    let source = image(size, 4)
    for (function, from, to) in [
      (vImageConvert_ARGB8888toRGB888, "ARGB", "RGB"),
      (vImageConvert_RGBA8888toRGB888, "RGBA", "RGB"),
      (vImageConvert_BGRA8888toRGB888, "BGRA", "RGB"),
      (vImageConvert_ARGB8888toBGR888, "ARGB", "BGR"),
      (vImageConvert_RGBA8888toBGR888, "RGBA", "BGR"),
      (vImageConvert_BGRA8888toBGR888, "BGRA", "BGR"),
    ] as [(Reorder, String, String)] {
      let result = image(size, 3, seed: 3)
      #expect(function(&source.buffer, &result.buffer, 0) == 0)
      let order = to.map { Array(from).firstIndex(of: $0)! }
      #expect(result.equals { x, y, c in source[x, y, order[c]] }, "\(from) to \(to)")
    }
    let colors = image(size, 3)
    let plane = image(size, 1, seed: 8)
    for (function, from, to) in [
      (vImageConvert_RGB888toARGB8888, "RGB", "ARGB"),
      (vImageConvert_RGB888toRGBA8888, "RGB", "RGBA"),
      (vImageConvert_RGB888toBGRA8888, "RGB", "BGRA"),
      (vImageConvert_BGR888toARGB8888, "BGR", "ARGB"),
      (vImageConvert_BGR888toRGBA8888, "BGR", "RGBA"),
      (vImageConvert_BGR888toBGRA8888, "BGR", "BGRA"),
    ] as [(AddAlpha, String, String)] {
      let result = image(size, 4, seed: 3)
      let order = to.map { Array(from).firstIndex(of: $0) }
      #expect(function(&colors.buffer, nil, 200, &result.buffer, false, 0) == 0)
      #expect(result.equals { x, y, c in order[c].map { colors[x, y, $0] } ?? 200 }, "\(to)")
      #expect(function(&colors.buffer, &plane.buffer, 1, &result.buffer, true, 0) == 0)
      #expect(
        result.equals { x, y, c in
          order[c].map { product(colors[x, y, $0], plane[x, y]) } ?? plane[x, y]
        }, "\(to)")
    }
  }

  @Test("Channels are permuted, in place too", arguments: ImageTests.sizes)
  func permutes(size: [Int]) {
    let (source, result) = (image(size, 4), image(size, 4, seed: 1))
    let map: [UInt8] = [2, 0, 3, 3]
    #expect(vImagePermuteChannels_ARGB8888(&source.buffer, &result.buffer, map, 0) == 0)
    #expect(result.equals { x, y, c in source[x, y, Int(map[c])] })
    #expect(vImagePermuteChannels_ARGB8888(&result.buffer, &result.buffer, [1, 0, 2, 3], 0) == 0)
    #expect(result.equals { x, y, c in source[x, y, [0, 2, 3, 3][c]] })
    #expect(
      vImagePermuteChannels_ARGB8888(&source.buffer, &result.buffer, [0, 1, 2, 4], 0)
        == kvImageInvalidParameter)
    let (rgb, bgr) = (image(size, 3), image(size, 3, seed: 1))
    #expect(vImagePermuteChannels_RGB888(&rgb.buffer, &bgr.buffer, [2, 1, 0], 0) == 0)
    #expect(bgr.equals { x, y, c in rgb[x, y, 2 - c] })
    let floats = TestImage<Float>(size[0], size[1], 4) { x, y, c in Float(x - y * c) }
    let permuted = TestImage<Float>(size[0], size[1], 4) { _, _, _ in 5 }
    #expect(vImagePermuteChannels_ARGBFFFF(&floats.buffer, &permuted.buffer, map, 0) == 0)
    #expect(permuted.equals { x, y, c in floats[x, y, Int(map[c])] })
  }

  @Test("Channels are overwritten, looked up and filled", arguments: ImageTests.sizes)
  func overwrites(size: [Int]) {
    let (source, plane) = (image(size, 4), image(size, 1, seed: 6))
    let result = image(size, 4, seed: 1)
    #expect(
      vImageOverwriteChannels_ARGB8888(&plane.buffer, &source.buffer, &result.buffer, 0b1010, 0)
        == 0)
    #expect(result.equals { x, y, c in c % 2 == 0 ? plane[x, y] : source[x, y, c] })
    #expect(
      vImageOverwriteChannelsWithScalar_ARGB8888(9, &source.buffer, &result.buffer, 1, 0) == 0)
    #expect(result.equals { x, y, c in c == 3 ? 9 : source[x, y, c] })
    let table = (0..<256).map { UInt8(255 - $0 / 2) }
    let looked = image(size, 1)
    #expect(vImageTableLookUp_Planar8(&plane.buffer, &looked.buffer, table, 0) == 0)
    #expect(looked.equals { x, y, _ in table[Int(plane[x, y])] })
    #expect(vImageBufferFill_ARGB8888(&result.buffer, [1, 2, 3, 4], 0) == 0)
    #expect(result.equals { _, _, c in UInt8(c + 1) })
    let floats = TestImage<Float>(size[0], size[1], 4) { _, _, _ in 5 }
    #expect(vImageBufferFill_ARGBFFFF(&floats.buffer, [1, 2, 3, 4], 0) == 0)
    #expect(floats.equals { _, _, c in Float(c + 1) })
  }

  @Test("Matrices multiply pixels", arguments: ImageTests.sizes)
  func multiplies(size: [Int]) {
    let source = image(size, 4)
    let gray = image(size, 1)
    let weights: [Int16] = [0, 54, 183, 19]
    #expect(
      vImageMatrixMultiply_ARGB8888ToPlanar8(&source.buffer, &gray.buffer, weights, 256, nil, 64, 0)
        == 0)
    #expect(
      gray.equals { x, y, _ in
        let sum = (0..<4).map { Double(source[x, y, $0]) * Double(weights[$0]) }.reduce(64, +)
        return UInt8(min((sum / 256).rounded(), 255))
      })
    let matrix: [Int16] = [2, 0, 0, 0, 0, 1, -1, 0, 0, 1, 1, 0, 0, 0, 0, 3]
    let (before, after): ([Int16], [Int32]) = ([-10, 0, 0, 5], [0, 0, 100, 0])
    let result = image(size, 4, seed: 2)
    #expect(
      vImageMatrixMultiply_ARGB8888(
        &source.buffer, &result.buffer, matrix, 2, before, after, 0) == 0)
    #expect(
      result.equals { x, y, c in
        let sum = (0..<4).map {
          (Double(source[x, y, $0]) + Double(before[$0])) * Double(matrix[4 * $0 + c])
        }.reduce(Double(after[c]), +)
        return UInt8(min(max((sum / 2).rounded(), 0), 255))
      })
  }

  @Test("Alpha multiplies colours, divides them and blends pictures", arguments: ImageTests.sizes)
  func blends(size: [Int]) {
    let (source, below) = (image(size, 4), image(size, 4, seed: 9))
    let result = image(size, 4, seed: 1)
    for (function, alpha) in [
      (vImagePremultiplyData_ARGB8888, 0), (vImagePremultiplyData_RGBA8888, 3),
      (vImagePremultiplyData_BGRA8888, 3),
    ] as [(Reorder, Int)] {
      #expect(function(&source.buffer, &result.buffer, 0) == 0)
      #expect(
        result.equals { x, y, c in
          c == alpha ? source[x, y, c] : product(source[x, y, c], source[x, y, alpha])
        })
    }
    for (function, alpha) in [
      (vImageUnpremultiplyData_ARGB8888, 0), (vImageUnpremultiplyData_RGBA8888, 3),
      (vImageUnpremultiplyData_BGRA8888, 3),
    ] as [(Reorder, Int)] {
      #expect(function(&source.buffer, &result.buffer, 0) == 0)
      #expect(
        result.equals { x, y, c in
          let opacity = source[x, y, alpha]
          if c == alpha || opacity == 0 { return c == alpha ? opacity : 0 }
          return UInt8(min((Double(source[x, y, c]) * 255 / Double(opacity)).rounded(), 255))
        })
    }
    for (function, alpha) in [
      (vImagePremultipliedAlphaBlend_ARGB8888, 0), (vImagePremultipliedAlphaBlend_BGRA8888, 3),
    ] as [(Blend, Int)] {
      #expect(function(&source.buffer, &below.buffer, &result.buffer, 0) == 0)
      #expect(
        result.equals { x, y, c in
          let rest = product(below[x, y, c], 255 - source[x, y, alpha])
          return UInt8(min(Int(source[x, y, c]) + Int(rest), 255))
        })
    }
  }

  @Test("Buffers that are missing or too small are refused")
  func refuses() {
    let (small, large) = (image([2, 2], 1), image([3, 2], 1))
    #expect(
      vImageConvert_Planar8toPlanarF(&small.buffer, &large.buffer, 1, 0, 0)
        == kvImageRoiLargerThanInputBuffer)
    var empty = vImage_Buffer(data: nil, height: 2, width: 2, rowBytes: 2)
    #expect(
      vImageTableLookUp_Planar8(&empty, &small.buffer, [UInt8](repeating: 0, count: 256), 0)
        == kvImageNullPointerArgument)
    #expect(throws: vImage.Error.invalidParameter) {
      try vImage_Buffer(width: 0, height: 1, bitsPerPixel: 8)
    }
  }
}
