import CoreGraphics
import CoreVideo
import Foundation
import Imaging
import Testing

@Suite("Pixel buffers with planes, and pools")
struct PlanarBufferTests {
  static let formats: [OSType] = [
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
    kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange,
  ]

  private func buffer(_ width: Int, _ height: Int, _ format: OSType) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    #expect(
      CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &made)
        == kCVReturnSuccess)
    return try #require(made)
  }

  /// Writes a byte of a plane.
  private func set(_ buffer: CVPixelBuffer, plane: Int, x: Int, y: Int, _ value: UInt8) {
    let base = CVPixelBufferGetBaseAddressOfPlane(buffer, plane)!
    base.assumingMemoryBound(to: UInt8.self)[
      y * CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) + x] = value
  }

  @Test(
    "A buffer with planes has a luma sample for each pixel and chroma for 2 × 2", arguments: formats
  )
  func planes(format: OSType) throws {
    let buffer = try buffer(33, 5, format)
    let count: Int = CVPixelBufferGetPlaneCount(buffer)
    #expect(CVPixelBufferIsPlanar(buffer) && CVPixelBufferGetBaseAddress(buffer) == nil)
    let isBiPlanar: Bool =
      format == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
      || format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
    #expect(count == (isBiPlanar ? 2 : 3))
    var size: Int = 0
    for plane in 0..<count {
      let (width, height) = plane == 0 ? (33, 5) : (17, 3)
      #expect(CVPixelBufferGetWidthOfPlane(buffer, plane) == width)
      #expect(CVPixelBufferGetHeightOfPlane(buffer, plane) == height)
      let bytesPerRow: Int = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
      #expect(bytesPerRow >= width * (plane == 1 && isBiPlanar ? 2 : 1) && bytesPerRow % 64 == 0)
      let base = try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane))
      #expect(Int(bitPattern: base) % 64 == 0)
      // All rows can be written.
      memset(base, Int32(plane), bytesPerRow * height)
      size += bytesPerRow * height
    }
    #expect(CVPixelBufferGetDataSize(buffer) == size)
    #expect(CVPixelBufferGetBytesPerRow(buffer) * 5 >= size)
    #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, count) == nil)
    #expect(CVPixelBufferGetWidthOfPlane(buffer, -1) == 0)
  }

  @Test(
    "Colours are those of the standards' formulas, to one level",
    arguments: formats,
    [
      (nil, 0.299, 0.114), (kCVImageBufferYCbCrMatrix_ITU_R_601_4, 0.299, 0.114),
      (kCVImageBufferYCbCrMatrix_ITU_R_709_2, 0.2126, 0.0722),
      (kCVImageBufferYCbCrMatrix_ITU_R_2020, 0.2627, 0.0593),
    ] as [(String?, Double, Double)])
  func colours(format: OSType, matrix: (name: String?, red: Double, blue: Double)) throws {
    let (width, height) = (62, 45)
    let buffer = try buffer(width, height, format)
    if let name = matrix.name {
      CVBufferSetAttachment(
        buffer, kCVImageBufferYCbCrMatrixKey, name as AnyObject, .shouldPropagate)
    }
    func luma(_ x: Int, _ y: Int) -> UInt8 { UInt8((x * 17 + y * 29) % 256) }
    func chroma(_ x: Int, _ y: Int) -> (UInt8, UInt8) {
      (UInt8((x * 53 + y * 11) % 256), UInt8((x * 7 + y * 61) % 256))
    }
    let count: Int = CVPixelBufferGetPlaneCount(buffer)
    for y in 0..<height { for x in 0..<width { set(buffer, plane: 0, x: x, y: y, luma(x, y)) } }
    for y in 0..<(height + 1) / 2 {
      for x in 0..<(width + 1) / 2 {
        let (blue, red) = chroma(x, y)
        set(buffer, plane: 1, x: count == 2 ? 2 * x : x, y: y, blue)
        set(buffer, plane: count - 1, x: count == 2 ? 2 * x + 1 : x, y: y, red)
      }
    }
    let isFull: Bool =
      format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
      || format == kCVPixelFormatType_420YpCbCr8PlanarFullRange
    let pixels: [UInt8] = try Picture(buffer).pixels
    var largest = 0.0
    for y in 0..<height {
      for x in 0..<width {
        let (cb, cr) = chroma(x / 2, y / 2)
        let light: Double = isFull ? Double(luma(x, y)) / 255 : (Double(luma(x, y)) - 16) / 219
        let range: Double = isFull ? 255 : 224
        let (blue, red) = ((Double(cb) - 128) / range, (Double(cr) - 128) / range)
        let r: Double = light + 2 * (1 - matrix.red) * red
        let b: Double = light + 2 * (1 - matrix.blue) * blue
        let g: Double = (light - matrix.red * r - matrix.blue * b) / (1 - matrix.red - matrix.blue)
        for (index, value) in [r, g, b].enumerated() {
          let expected: Double = min(255, max(0, value * 255))
          largest = max(largest, abs(expected - Double(pixels[(y * width + x) * 3 + index])))
        }
      }
    }
    #expect(largest < 0.51, "\(largest)")
  }

  @Test("Known values: pure red in BT.601 and BT.709")
  func knownColours() throws {
    for (name, y, cb, cr) in [
      (kCVImageBufferYCbCrMatrix_ITU_R_601_4, 81, 90, 240),
      (kCVImageBufferYCbCrMatrix_ITU_R_709_2, 63, 102, 240),
    ] as [(String, UInt8, UInt8, UInt8)] {
      let buffer = try buffer(2, 2, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
      CVBufferSetAttachment(
        buffer, kCVImageBufferYCbCrMatrixKey, name as AnyObject, .shouldPropagate)
      for index in 0..<4 { set(buffer, plane: 0, x: index % 2, y: index / 2, y) }
      set(buffer, plane: 1, x: 0, y: 0, cb)
      set(buffer, plane: 1, x: 1, y: 0, cr)
      let pixel: [UInt8] = Array(try Picture(buffer).pixels[9...])
      #expect(pixel[0] >= 253 && pixel[1] <= 2 && pixel[2] <= 2, "\(name): \(pixel)")
    }
  }

  @Test("A buffer over the caller's planes reads them, and releases them once")
  func callersPlanes() throws {
    let luma = UnsafeMutablePointer<UInt8>.allocate(capacity: 8 * 2)
    let chroma = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
    defer {
      luma.deallocate()
      chroma.deallocate()
    }
    luma.initialize(repeating: 200, count: 16)
    chroma.initialize(repeating: 128, count: 8)
    var addresses: [UnsafeMutableRawPointer?] = [
      UnsafeMutableRawPointer(luma), UnsafeMutableRawPointer(chroma),
    ]
    var (widths, heights, rows) = ([4, 2], [2, 1], [8, 8])
    var released: Int = 0
    func make(_ format: OSType, _ planes: Int) -> (CVReturn, CVPixelBuffer?) {
      var made: CVPixelBuffer?
      let status = withUnsafeMutablePointer(to: &released) { count in
        CVPixelBufferCreateWithPlanarBytes(
          kCFAllocatorDefault, 4, 2, format, nil, 0, planes, &addresses, &widths, &heights, &rows,
          { context, _, _, count, _ in
            context!.assumingMemoryBound(to: Int.self).pointee += count
          }, count, nil, &made)
      }
      return (status, made)
    }
    let full: OSType = kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
    do {
      let (status, made) = make(full, 2)
      #expect(status == kCVReturnSuccess)
      let buffer = try #require(made)
      #expect(CVPixelBufferGetBytesPerRowOfPlane(buffer, 1) == 8)
      #expect(try Picture(buffer).pixels == [UInt8](repeating: 200, count: 24))
    }
    #expect(released == 2)
    #expect(make(kCVPixelFormatType_32BGRA, 2).0 == kCVReturnInvalidPixelFormat)
    #expect(make(full, 3).0 == kCVReturnInvalidArgument)
    rows[1] = 3
    #expect(make(full, 2).0 == kCVReturnInvalidSize)
    rows[1] = 8
    addresses[1] = nil
    #expect(make(full, 2).0 == kCVReturnInvalidArgument)
    #expect(released == 2)
  }

  @Test("A pool uses the memory of released buffers again, up to its threshold")
  func pool() throws {
    var made: CVPixelBufferPool?
    let attributes: [String: Any] = [
      kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
      kCVPixelBufferWidthKey: 64, kCVPixelBufferHeightKey: 48,
    ]
    let status = CVPixelBufferPoolCreate(
      kCFAllocatorDefault, [kCVPixelBufferPoolMaximumBufferAgeKey: 3600] as CFDictionary,
      attributes as CFDictionary, &made)
    #expect(status == kCVReturnSuccess)
    let pool = try #require(made)
    func take(threshold: Int? = nil) -> (CVReturn, CVPixelBuffer?) {
      var buffer: CVPixelBuffer?
      let status = CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
        kCFAllocatorDefault, pool,
        threshold.map { [kCVPixelBufferPoolAllocationThresholdKey: $0] as CFDictionary }, &buffer)
      return (status, buffer)
    }
    var first: CVPixelBuffer? = take().1
    let address = CVPixelBufferGetBaseAddressOfPlane(try #require(first), 0)
    #expect(CVPixelBufferGetWidth(first!) == 64 && CVPixelBufferGetPlaneCount(first!) == 2)
    let second = try #require(take().1)
    #expect(CVPixelBufferGetBaseAddressOfPlane(second, 0) != address)
    #expect(take(threshold: 2).0 == kCVReturnWouldExceedAllocationThreshold)
    first = nil
    let third = try #require(take(threshold: 2).1)
    #expect(CVPixelBufferGetBaseAddressOfPlane(third, 0) == address)
    CVPixelBufferPoolFlush(pool, .excessBuffers)
    #expect(
      CVPixelBufferPoolGetPixelBufferAttributes(pool)?[kCVPixelBufferHeightKey] as? Int == 48)
    for missing in attributes.keys {
      var refused: CVPixelBufferPool?
      var rest = attributes
      rest[missing] = nil
      #expect(
        CVPixelBufferPoolCreate(kCFAllocatorDefault, nil, rest as CFDictionary, &refused)
          == kCVReturnInvalidPixelBufferAttributes)
      #expect(refused == nil)
    }
  }

  @Test("Buffers of a pool outlive the pool")
  func poolLifetime() throws {
    var pool: CVPixelBufferPool?
    CVPixelBufferPoolCreate(
      kCFAllocatorDefault, nil,
      [
        kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA,
        kCVPixelBufferWidthKey: 5, kCVPixelBufferHeightKey: 3,
      ] as CFDictionary, &pool)
    var made: CVPixelBuffer?
    #expect(CVPixelBufferPoolCreatePixelBuffer(nil, try #require(pool), &made) == kCVReturnSuccess)
    pool = nil
    let buffer = try #require(made)
    memset(CVPixelBufferGetBaseAddress(buffer)!, 7, CVPixelBufferGetDataSize(buffer))
    #expect(try Picture(buffer).pixels == [UInt8](repeating: 7, count: 45))
  }
}
