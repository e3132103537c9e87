import Accelerate
import Foundation
import Testing

/// A picture in memory. Each row has some bytes after its pixels.
final class TestImage<T: Equatable & BitwiseCopyable> {
  let width, height, channels: Int
  private let memory: UnsafeMutableRawPointer
  private let rowBytes: Int
  var buffer: vImage_Buffer

  init(_ width: Int, _ height: Int, _ channels: Int = 1, _ value: (Int, Int, Int) -> T) {
    (self.width, self.height, self.channels) = (width, height, channels)
    rowBytes = width * channels * MemoryLayout<T>.stride + 12
    memory = .allocate(byteCount: max(rowBytes * height, 1), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0xAB, count: max(rowBytes * height, 1))
    buffer = vImage_Buffer(
      data: memory, height: UInt(height), width: UInt(width), rowBytes: rowBytes)
    for y in 0..<height {
      for x in 0..<width { for c in 0..<channels { self[x, y, c] = value(x, y, c) } }
    }
  }

  deinit { memory.deallocate() }

  subscript(x: Int, y: Int, channel: Int = 0) -> T {
    get { memory.load(fromByteOffset: offset(x, y, channel), as: T.self) }
    set { memory.storeBytes(of: newValue, toByteOffset: offset(x, y, channel), as: T.self) }
  }

  private func offset(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    y * rowBytes + (x * channels + channel) * MemoryLayout<T>.stride
  }

  /// True if every value is as expected, and the bytes after the rows have not changed.
  func equals(_ expected: (Int, Int, Int) -> T) -> Bool {
    for y in 0..<height {
      for x in 0..<width {
        for c in 0..<channels where self[x, y, c] != expected(x, y, c) { return false }
      }
      for byte in rowBytes - 12..<rowBytes
      where memory.load(fromByteOffset: y * rowBytes + byte, as: UInt8.self) != 0xAB {
        return false
      }
    }
    return true
  }
}

@Suite struct ImageTests {
  /// Odd sizes, one pixel, and no pixel.
  static let sizes = [[0, 0], [1, 1], [17, 5]]

  private func bytes(_ size: [Int], _ channels: Int = 1, seed: Int = 0) -> TestImage<UInt8> {
    TestImage(size[0], size[1], channels) { x, y, c in
      UInt8(truncatingIfNeeded: x * 37 + y * 91 + c * 57 + seed * 13)
    }
  }

  private func floats(_ size: [Int], _ channels: Int = 1) -> TestImage<Float> {
    TestImage(size[0], size[1], channels) { x, y, c in Float(x * 7 - y * 3 + c) / 11 - 0.3 }
  }

  @Test("Bytes and floats convert into each other over a range", arguments: sizes)
  func convertsBytes(size: [Int]) {
    let source = bytes(size)
    let wide = TestImage<Float>(size[0], size[1]) { _, _, _ in 9 }
    #expect(
      vImageConvert_Planar8toPlanarF(&source.buffer, &wide.buffer, 1, -1, 0) == kvImageNoError)
    #expect(
      wide.equals { x, y, _ in
        let expected = Double(source[x, y]) / 255 * 2 - 1
        return abs(Double(wide[x, y]) - expected) < 1e-6 ? wide[x, y] : .nan
      })
    let back = TestImage<UInt8>(size[0], size[1]) { _, _, _ in 9 }
    #expect(vImageConvert_PlanarFtoPlanar8(&wide.buffer, &back.buffer, 1, -1, 0) == 0)
    #expect(back.equals { x, y, _ in source[x, y] })

    let values = floats(size)
    #expect(vImageConvert_PlanarFtoPlanar8(&values.buffer, &back.buffer, 1, 0, 0) == 0)
    #expect(
      back.equals { x, y, _ in
        let expected = min(max(Double(values[x, y]) * 255, 0), 255)
        return abs(Double(back[x, y]) - expected) < 0.5001 ? back[x, y] : back[x, y] ^ 1
      })
    let clipped = TestImage<Float>(size[0], size[1]) { _, _, _ in 9 }
    #expect(vImageClip_PlanarF(&values.buffer, &clipped.buffer, 0.5, 0, 0) == 0)
    #expect(clipped.equals { x, y, _ in min(max(values[x, y], 0), 0.5) })
  }

  @Test("float16 and float32 convert into each other as Swift's types do")
  func convertsHalves() {
    // All float16 numbers, with 0 instead of NaN.
    let halves = TestImage<UInt16>(256, 256) { x, y, _ in
      let bits = UInt16(y * 256 + x)
      return Float16(bitPattern: bits).isNaN ? 0 : bits
    }
    let wide = TestImage<Float>(256, 256) { _, _, _ in 9 }
    #expect(vImageConvert_Planar16FtoPlanarF(&halves.buffer, &wide.buffer, 0) == 0)
    #expect(wide.equals { x, y, _ in Float(Float16(bitPattern: halves[x, y])) })
    halves[1, 0] = Float16.nan.bitPattern
    #expect(vImageConvert_Planar16FtoPlanarF(&halves.buffer, &wide.buffer, 0) == 0)
    #expect(wide[1, 0].isNaN)
    var random = Numbers(seed: 3)
    let numbers = TestImage<Float>(17, 200) { _, y, _ in
      Float(random.next() * pow(10, Double(y % 16) - 8))
    }
    let narrow = TestImage<UInt16>(17, 200) { _, _, _ in 9 }
    #expect(vImageConvert_PlanarFtoPlanar16F(&numbers.buffer, &narrow.buffer, 0) == 0)
    #expect(narrow.equals { x, y, _ in Float16(numbers[x, y]).bitPattern })
  }

  @Test("Planes are joined and split", arguments: sizes)
  func joinsPlanes(size: [Int]) {
    let planes = (0..<4).map { bytes(size, seed: $0 + 1) }
    let joined = bytes(size, 4)
    #expect(
      vImageConvert_Planar8toARGB8888(
        &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, &planes[3].buffer, &joined.buffer,
        0) == 0)
    #expect(joined.equals { x, y, c in planes[c][x, y] })
    let parts = (0..<4).map { bytes(size, seed: $0 + 9) }
    #expect(
      vImageConvert_ARGB8888toPlanar8(
        &joined.buffer, &parts[0].buffer, &parts[1].buffer, &parts[2].buffer, &parts[3].buffer, 0)
        == 0)
    for c in 0..<4 { #expect(parts[c].equals { x, y, _ in planes[c][x, y] }) }
    let rgb = bytes(size, 3)
    #expect(
      vImageConvert_Planar8toRGB888(
        &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, &rgb.buffer, 0) == 0)
    #expect(rgb.equals { x, y, c in planes[c][x, y] })
    #expect(
      vImageConvert_RGB888toPlanar8(
        &rgb.buffer, &parts[2].buffer, &parts[1].buffer, &parts[0].buffer, 0) == 0)
    for c in 0..<3 { #expect(parts[2 - c].equals { x, y, _ in planes[c][x, y] }) }
    #expect(vImageExtractChannel_ARGB8888(&joined.buffer, &parts[0].buffer, 3, 0) == 0)
    #expect(parts[0].equals { x, y, _ in planes[3][x, y] })
  }

  @Test("Floats in planes become bytes and back, each channel over its range", arguments: sizes)
  func convertsPlanesOfFloats(size: [Int]) {
    let source = bytes(size, 4)
    let planes = (0..<4).map { _ in floats(size) }
    let (most, least): ([Float], [Float]) = ([1, 2, 3, 4], [0, -1, 0, 1])
    #expect(
      vImageConvert_ARGB8888toPlanarF(
        &source.buffer, &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, &planes[3].buffer,
        most, least, 0) == 0)
    for c in 0..<4 {
      #expect(
        planes[c].equals { x, y, _ in
          let value = least[c] + Float(source[x, y, c]) / 255 * (most[c] - least[c])
          return abs(planes[c][x, y] - value) < 1e-5 ? planes[c][x, y] : .nan
        })
    }
    let back = bytes(size, 4, seed: 5)
    #expect(
      vImageConvert_PlanarFtoARGB8888(
        &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, &planes[3].buffer, &back.buffer,
        most, least, 0) == 0)
    #expect(back.equals { x, y, c in source[x, y, c] })
    #expect(
      vImageConvert_PlanarFToBGRX8888(
        &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, 7, &back.buffer, most, least, 0)
        == 0)
    #expect(back.equals { x, y, c in c == 3 ? 7 : source[x, y, c] })
    let joined = floats(size, 4)
    #expect(
      vImageConvert_PlanarFtoARGBFFFF(
        &planes[3].buffer, &planes[2].buffer, &planes[1].buffer, &planes[0].buffer, &joined.buffer,
        0) == 0)
    #expect(joined.equals { x, y, c in planes[3 - c][x, y] })
    let rgb = floats(size, 3)
    #expect(
      vImageConvert_PlanarFtoRGBFFF(
        &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, &rgb.buffer, 0) == 0)
    let parts = (0..<4).map { _ in floats(size) }
    #expect(
      vImageConvert_RGBFFFtoPlanarF(
        &rgb.buffer, &parts[0].buffer, &parts[1].buffer, &parts[2].buffer, 0) == 0)
    for c in 0..<3 { #expect(parts[c].equals { x, y, _ in planes[c][x, y] }) }
    #expect(
      vImageConvert_ARGBFFFFtoPlanarF(
        &joined.buffer, &parts[0].buffer, &parts[1].buffer, &parts[2].buffer, &parts[3].buffer, 0)
        == 0)
    for c in 0..<4 { #expect(parts[c].equals { x, y, _ in planes[3 - c][x, y] }) }
  }
}
