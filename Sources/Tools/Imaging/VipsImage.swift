import CVips
import Foundation

/// Owns one reference to a libvips image, and releases it when this object is deallocated.
///
/// Only one thread uses an image: each call of a public function of this module creates and releases its own images.
final class VipsImage {
  let handle: OpaquePointer

  /// Takes ownership of the result of a C call. If it is `nil`, throws libvips' error.
  init(_ handle: OpaquePointer?, doing task: String) throws {
    guard let handle else {
      throw ImagingError(
        code: .libraryFailure, message: "libvips could not \(task) (\(Vips.takeError())).")
    }
    self.handle = handle
  }

  deinit { cvips_release(handle) }

  var width: Int { Int(cvips_width(handle)) }
  var height: Int { Int(cvips_height(handle)) }
  var bands: Int { Int(cvips_bands(handle)) }
  var hasAlpha: Bool { cvips_has_alpha(handle) != 0 }

  /// The number of bits for each component, 8 or 16. Files with 10 or 12 bits count as 16.
  var bitsPerComponent: Int { cvips_is_deep(handle) != 0 ? 16 : 8 }

  var orientation: Orientation {
    Orientation(rawValue: UInt32(cvips_orientation(handle))) ?? .up
  }

  /// The entry in the XMP metadata that says that Atelier painted the picture. Nil for other pictures.
  var origin: PictureOrigin? {
    var count: Int = 0
    guard let packet = cvips_xmp(handle, &count) else { return nil }
    return PictureOrigin(xmp: UnsafeRawBufferPointer(start: packet, count: count))
  }

  /// Calls the closure with an image that refers to the bytes of a plane without copying them.
  static func over<Result>(
    _ plane: PixelBytes, width: Int, height: Int, components: Int, depth: Int = 8,
    _ body: (VipsImage) throws -> Result
  ) throws -> Result {
    try Vips.start()
    return try plane.withBytes { (bytes: UnsafeBufferPointer<UInt8>) throws -> Result in
      let image = try VipsImage(
        cvips_wrap(
          bytes.baseAddress, bytes.count, Int32(width), Int32(height), Int32(components),
          Int32(depth)),
        doing: "wrap a picture in memory")
      return try body(image)
    }
  }
}

/// The library libvips.
enum Vips {
  /// The number of worker threads of each libvips pipeline. Decoders are serial, so two are enough.
  private static let threads: Int = min(2, ProcessInfo.processInfo.activeProcessorCount)

  private static let status: Int32 = cvips_start(Int32(threads))

  /// Whether libvips is installed and could be started. Without it, pictures are JPEG or PNG.
  static var isAvailable: Bool { status == 0 }

  /// Starts libvips on the first call. Throws if libvips could not be started.
  static func start() throws {
    guard status == 0 else {
      throw ImagingError(
        code: .libraryFailure,
        message: "libvips could not be started (\(takeError())). Install libvips again.")
    }
  }

  /// Returns libvips' message for the last failure in one line, and clears it.
  static func takeError() -> String {
    guard let text = cvips_take_error() else { return "no reason given" }
    defer { cvips_free(text) }
    var lines: [String] = []
    for line in String(cString: text).split(whereSeparator: \.isNewline) {
      let tidy: String = line.trimmingCharacters(in: .whitespaces)
      if !tidy.isEmpty, !lines.contains(tidy) { lines.append(tidy) }
    }
    return lines.isEmpty ? "no reason given" : lines.prefix(3).joined(separator: "; ")
  }
}
