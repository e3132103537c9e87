import CVips
import Foundation

// Reading and writing JPEG and PNG on a machine that has no libvips: libjpeg and libpng alone.

extension PictureSource {
  /// Reads the header of a JPEG or PNG.
  func headerWithoutLibvips() throws -> PictureHeader {
    try withContents { bytes in
      if let jpeg = PlainJPEG(unusual: bytes) {
        let swaps: Bool = jpeg.orientation.swapsSides
        return PictureHeader(
          width: swaps ? jpeg.height : jpeg.width, height: swaps ? jpeg.width : jpeg.height,
          orientation: jpeg.orientation, hasAlpha: false, origin: jpeg.origin, format: .jpeg)
      }
      let png: CVipsPNGHeader = try pngHeader(bytes)
      return PictureHeader(
        width: Int(png.width), height: Int(png.height), orientation: .up,
        hasAlpha: png.has_alpha != 0, origin: nil, pageCount: frameCountOfPNG, format: .png)
    }
  }

  /// Decodes a JPEG or PNG. Does not convert the colours of a JPEG from its profile to sRGB.
  func decodeWithoutLibvips(orientation handling: OrientationHandling, pixelLimit: Int) throws
    -> Picture
  {
    try withContents { bytes in
      guard let jpeg = PlainJPEG(unusual: bytes) else {
        return try decodePNG(bytes, pixelLimit: pixelLimit)
      }
      try require(width: jpeg.width, height: jpeg.height, of: pixelLimit)
      let rotates: Bool = handling == .applied && jpeg.orientation != .up
      try requireMemory(
        VipsImage.bytesToDecode(jpeg, rotates: rotates), width: jpeg.width, height: jpeg.height,
        isProgressive: jpeg.isProgressive)
      guard let stored = try jpeg.decoded() else {
        if let damage = try JPEGDamage(self) { throw damage.error(name) }
        throw undecodable("data are missing or contradictory")
      }
      return handling == .applied ? try stored.oriented(jpeg.orientation) : stored
    }
  }

  private func decodePNG(_ bytes: UnsafeRawBufferPointer, pixelLimit: Int) throws -> Picture {
    let header: CVipsPNGHeader = try pngHeader(bytes)
    let (width, height) = (Int(header.width), Int(header.height))
    let channels: Int = header.has_alpha != 0 ? 4 : 3
    try require(width: width, height: height, of: pixelLimit)
    try requireMemory(width * height * 8, width: width, height: height, isProgressive: false)
    var words = [CChar](repeating: 0, count: 64)
    var isComplete = true
    let pixels = try PixelBytes(count: width * height * channels) { memory in
      isComplete =
        cvips_decode_png(bytes.baseAddress, bytes.count, memory.baseAddress, &words) == 0
    }
    guard isComplete else {
      throw undecodable(Self.text(words))
    }
    guard channels == 4 else {
      return Picture(width: width, height: height, colour: pixels, opacity: nil)
    }
    // Safe: the decoder wrote four bytes for each pixel, without gaps between rows.
    return try pixels.withBytes { (rows: UnsafeBufferPointer<UInt8>) throws -> Picture in
      guard let start = rows.baseAddress else { throw undecodable("it has no pixels") }
      return try Picture(
        width: width, height: height, layout: .rgba(.straight), rows: UnsafeRawPointer(start),
        bytesPerRow: width * 4)
    }
  }

  private func pngHeader(_ bytes: UnsafeRawBufferPointer) throws -> CVipsPNGHeader {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
      throw ImagingError(
        code: .notAPicture,
        message: "Picture '\(name)': without libvips, which is not installed, only JPEG (colour or"
          + " grey), PNG and BMP can be read. Install it (Debian and Ubuntu: libvips42), or convert"
          + " the picture to one of these.")
    }
    var header = CVipsPNGHeader()
    var words = [CChar](repeating: 0, count: 64)
    guard cvips_png_header(bytes.baseAddress, bytes.count, &header, &words) == 0 else {
      throw undecodable(Self.text(words))
    }
    return header
  }

  /// Returns the zero-terminated text in a buffer.
  private static func text(_ letters: [CChar]) -> String {
    String(
      decoding: letters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func withContents<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws
    -> Result
  {
    switch place {
    case .memory(let data): return try data.withUnsafeBytes(body)
    case .file(let path):
      try checkFile(path)
      do {
        return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
          .withUnsafeBytes(body)
      } catch let error as ImagingError {
        throw error
      } catch {
        throw undecodable("it cannot be read: \(error.localizedDescription)")
      }
    }
  }

  private func undecodable(_ reason: String) -> ImagingError {
    ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': its pixels cannot be decoded (\(reason)). The file may be"
        + " truncated; copy it again from its source.")
  }
}

extension Picture {
  /// Encodes the picture as PNG in sRGB, with the XMP packet of the encoding and no other metadata.
  func encodeWithoutLibvips(as format: PictureFormat, _ encoding: PictureEncoding, name: String)
    throws -> Data
  {
    guard format == .png else {
      throw ImagingError(
        code: .libraryFailure,
        message: "Picture '\(name)': \(format.name) needs libvips, which is not installed. Install"
          + " it (Debian and Ubuntu: libvips42), or choose JPEG or PNG.")
    }
    var count: Int = 0
    let packet: Data = encoding.xmp ?? Data()
    let pixels: PixelBytes = try opacity.map { try interleaved(with: $0) } ?? colour
    let encoded: UnsafeMutableRawPointer? = packet.withUnsafeBytes { xmp in
      pixels.withBytes { rows in
        cvips_encode_png(
          rows.baseAddress, Int32(width), Int32(height), opacity == nil ? 0 : 1,
          packet.isEmpty ? nil : xmp.baseAddress, xmp.count, &count)
      }
    }
    guard let memory = encoded else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': it cannot be written as PNG, because there is not enough"
          + " memory. Close other programs, or choose a smaller size.")
    }
    // Safe: we own the memory, and the data frees it once.
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }

  /// Returns four bytes for each pixel: colours, then alpha.
  private func interleaved(with opacity: PixelBytes) throws -> PixelBytes {
    try PixelBytes(count: width * height * 4) { pixels in
      colour.withBytes { colours in
        opacity.withBytes { alpha in
          for pixel in 0..<(width * height) {
            for channel in 0..<3 { pixels[pixel * 4 + channel] = colours[pixel * 3 + channel] }
            pixels[pixel * 4 + 3] = alpha[pixel]
          }
        }
      }
    }
  }
}
