import CVips
import Foundation

/// A BMP file. libvips has no loader of its own for this format.
struct BitmapFile {
  private let bytes: Data
  private let header: CVipsBMP
  private let name: String

  /// Reads the header.
  ///
  /// - Throws: `ImagingError` if the header is damaged.
  init(_ bytes: Data, name: String) throws {
    var header = CVipsBMP()
    let reason: UnsafePointer<CChar>? = bytes.withUnsafeBytes {
      cvips_read_bmp($0.baseAddress, $0.count, &header)
    }
    self.bytes = bytes
    self.header = header
    self.name = name
    if let reason { throw failure(reason) }
  }

  var width: Int { Int(header.width) }
  var height: Int { Int(header.height) }

  var pictureHeader: PictureHeader {
    PictureHeader(
      width: width, height: height, orientation: .up, hasAlpha: mayHaveAlpha, origin: nil)
  }

  private var mayHaveAlpha: Bool { header.bits_per_pixel > 8 && header.masks.3 != 0 }

  /// Decodes the pixels.
  func decoded() throws -> Picture {
    var reason: UnsafePointer<CChar>?
    var opacity: PixelBytes?
    let colour = try PixelBytes(count: width * height * 3) { colours in
      opacity = try PixelBytes(count: width * height) { alpha in
        reason = bytes.withUnsafeBytes { stored in
          withUnsafePointer(to: header) { header in
            cvips_decode_bmp(
              stored.baseAddress, stored.count, header, colours.baseAddress, alpha.baseAddress)
          }
        }
      }
    }
    if let reason { throw failure(reason) }
    // Many programs declare alpha but leave all its bytes 0. Such a picture is opaque.
    let isTransparent: Bool = opacity?.withBytes { $0.allSatisfy { $0 == 0 } } ?? true
    return Picture(
      width: width, height: height, colour: colour,
      opacity: mayHaveAlpha && !isTransparent ? opacity : nil)
  }

  private func failure(_ reason: UnsafePointer<CChar>) -> ImagingError {
    ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': the BMP cannot be read (\(String(cString: reason))). Copy it"
        + " again from its source, or convert it to PNG.")
  }
}

extension PictureSource {
  /// Opens the file as a BMP and calls the closure. Returns nil if the file is not a BMP.
  func withBMP<Result>(_ body: (BitmapFile) throws -> Result) throws -> Result? {
    let data: Data
    switch place {
    case .memory(let bytes): data = bytes
    case .file(let path):
      try checkFile(path)
      // A pipe can only be read once, so libvips reads it.
      guard !isPipe, let file = FileHandle(forReadingAtPath: path) else { return nil }
      defer { try? file.close() }
      guard (try? file.read(upToCount: 2)) == Data("BM".utf8) else { return nil }
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    }
    guard data.starts(with: Data("BM".utf8)) else { return nil }
    return try body(BitmapFile(data, name: name))
  }
}
