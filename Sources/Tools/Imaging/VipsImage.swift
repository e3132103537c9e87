import CVips
import Foundation

/// One reference to a libvips image, given back at the end.
///
/// Images are used by one thread at a time: they live inside single calls of this module.
final class VipsImage {
  let handle: OpaquePointer

  /// Takes over what a C call returned; `nil` there becomes the error that libvips has noted.
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

  var orientation: Orientation {
    Orientation(rawValue: UInt32(cvips_orientation(handle))) ?? .up
  }

  /// Who painted the picture, where Atelier did.
  var origin: PictureOrigin? {
    var count: Int = 0
    guard let packet = cvips_xmp(handle, &count) else { return nil }
    return PictureOrigin(xmp: UnsafeRawBufferPointer(start: packet, count: count))
  }

  /// Lends an image over one plane of a picture.
  static func over<Result>(
    _ plane: PixelBytes, width: Int, height: Int, components: Int,
    _ body: (VipsImage) throws -> Result
  ) throws -> Result {
    try Vips.start()
    return try plane.withBytes { (bytes: UnsafeBufferPointer<UInt8>) throws -> Result in
      let image = try VipsImage(
        cvips_wrap(
          bytes.baseAddress, bytes.count, Int32(width), Int32(height), Int32(components)),
        doing: "look at a picture in memory")
      return try body(image)
    }
  }
}

/// The library as a whole.
enum Vips {
  /// Worker threads of each libvips pipeline. Decoders are serial; two keep them fed.
  private static let threads: Int = min(2, ProcessInfo.processInfo.activeProcessorCount)

  private static let status: Int32 = cvips_start(Int32(threads))

  /// Starts libvips on the first call.
  static func start() throws {
    guard status == 0 else {
      throw ImagingError(
        code: .libraryFailure,
        message: "libvips could not be started (\(takeError())). Install libvips again.")
    }
  }

  /// libvips' words on the last failure, in one line.
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
