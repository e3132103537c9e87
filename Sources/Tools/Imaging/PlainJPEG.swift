import CVips
import Foundation

/// A JPEG that libjpeg alone decodes to the same pixels as libvips. Most photos are such JPEGs. libvips decodes unusual
/// and damaged ones.
///
/// Only used by one thread, within one call of this module.
final class PlainJPEG {
  private let handle: OpaquePointer
  private let header: CVipsJPEGHeader

  /// Opens a readable file. Returns nil if it is not such a JPEG.
  init?(path: String) {
    guard let handle = cvips_open_jpeg_file(path) else { return nil }
    self.handle = handle
    header = cvips_jpeg_header(handle)
    guard isInSRGB else { return nil }
  }

  /// Opens bytes that must outlive this object. Returns nil if they are not such a JPEG.
  init?(bytes: UnsafeRawBufferPointer) {
    guard let handle = cvips_open_jpeg_memory(bytes.baseAddress, bytes.count) else { return nil }
    self.handle = handle
    header = cvips_jpeg_header(handle)
    guard isInSRGB else { return nil }
  }

  /// Opens bytes that must outlive this object, for a machine without libvips. Also accepts grey JPEGs, and ignores
  /// profiles. Returns nil if libjpeg cannot read them.
  init?(unusual bytes: UnsafeRawBufferPointer) {
    guard let handle = cvips_open_unusual_jpeg(bytes.baseAddress, bytes.count) else { return nil }
    self.handle = handle
    header = cvips_jpeg_header(handle)
  }

  deinit { cvips_close_jpeg(handle) }

  /// The number of stored columns.
  var width: Int { Int(header.width) }
  /// The number of stored rows.
  var height: Int { Int(header.height) }

  /// The orientation of the stored pixels.
  var orientation: Orientation { Orientation(rawValue: UInt32(header.orientation)) ?? .up }

  /// The entry that says that Atelier painted the picture. Nil for other pictures.
  var origin: PictureOrigin? {
    header.xmp.flatMap {
      PictureOrigin(xmp: UnsafeRawBufferPointer(start: $0, count: header.xmp_count))
    }
  }

  /// Whether the JPEG has several scans. If so, the decoder stores all coefficients of the picture.
  var isProgressive: Bool { header.has_scans != 0 }

  /// Whether the colours have a lower resolution than the luma.
  var isSubsampled: Bool { header.is_subsampled != 0 }

  /// Whether the file has no profile, or an sRGB profile.
  private var isInSRGB: Bool {
    guard let profile = header.profile else { return true }
    return ColourProfile(UnsafeRawBufferPointer(start: profile, count: header.profile_count)).isSRGB
  }

  /// Decodes the stored pixels. Returns nil if data are missing or damaged.
  func decoded() throws -> Picture? {
    var isComplete = true
    let plane = try PixelBytes(count: width * height * 3) { pixels in
      isComplete = cvips_decode_jpeg(handle, pixels.baseAddress) == 0
    }
    return isComplete ? Picture(width: width, height: height, colour: plane, opacity: nil) : nil
  }
}
