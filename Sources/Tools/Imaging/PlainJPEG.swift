import CVips
import Foundation

/// A JPEG that libjpeg decodes alone, in the same pixels as libvips would give: most photos. What is unusual
/// about the others, and what is wrong with them, libvips finds out.
///
/// Used by one thread, inside single calls of this module.
final class PlainJPEG {
  private let handle: OpaquePointer
  private let header: CVipsJPEGHeader

  /// Opens a file that is there and may be read; nil where it is no such JPEG.
  init?(path: String) {
    guard let handle = cvips_open_jpeg_file(path) else { return nil }
    self.handle = handle
    header = cvips_jpeg_header(handle)
    guard isInSRGB else { return nil }
  }

  /// Opens bytes that stay until this object is gone; nil where they are no such JPEG.
  init?(bytes: UnsafeRawBufferPointer) {
    guard let handle = cvips_open_jpeg_memory(bytes.baseAddress, bytes.count) else { return nil }
    self.handle = handle
    header = cvips_jpeg_header(handle)
    guard isInSRGB else { return nil }
  }

  deinit { cvips_close_jpeg(handle) }

  /// The columns as stored.
  var width: Int { Int(header.width) }
  /// The rows as stored.
  var height: Int { Int(header.height) }

  /// How the stored pixels lie.
  var orientation: Orientation { Orientation(rawValue: UInt32(header.orientation)) ?? .up }

  /// Who painted the picture, where Atelier did.
  var origin: PictureOrigin? {
    header.xmp.flatMap {
      PictureOrigin(xmp: UnsafeRawBufferPointer(start: $0, count: header.xmp_count))
    }
  }

  /// Whether the decoder keeps the whole picture.
  var isProgressive: Bool { header.has_scans != 0 }

  /// What the decoder keeps of colours beside its luminance, for each pixel.
  var isSubsampled: Bool { header.is_subsampled != 0 }

  private var isInSRGB: Bool {
    guard let profile = header.profile else { return true }
    return ColourProfile.isSRGB(
      UnsafeRawBufferPointer(start: profile, count: header.profile_count))
  }

  /// The pixels as stored; nil where data are missing or damaged.
  func decoded() throws -> Picture? {
    var isWhole = true
    let plane = try PixelBytes(count: width * height * 3) { pixels in
      isWhole = cvips_decode_jpeg(handle, pixels.baseAddress) == 0
    }
    return isWhole ? Picture(width: width, height: height, colour: plane, opacity: nil) : nil
  }
}
