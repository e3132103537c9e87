import Foundation
import Imaging

/// The layout of rendered pixels. Has no effect on files, which always have 8 bits per component.
public struct CIFormat: RawRepresentable, Hashable, Sendable {
  /// The number of the layout.
  public let rawValue: Int32
  /// Makes a layout from its number.
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Alpha, red, green, blue.
  public static let ARGB8: CIFormat = CIFormat(rawValue: 265)
  /// Blue, green, red, alpha.
  public static let BGRA8: CIFormat = CIFormat(rawValue: 266)
  /// Red, green, blue, alpha.
  public static let RGBA8: CIFormat = CIFormat(rawValue: 264)
}

/// An option of a file. `kCGImageDestinationLossyCompressionQuality` sets the quality of JPEG and HEIF.
public struct CIImageRepresentationOption: RawRepresentable, Hashable, Sendable {
  /// The option's name.
  public let rawValue: String
  /// Makes an option from its name.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension CIContext {
  /// Returns the bytes of a PNG file; nil if the image has no pixels.
  public func pngRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    try? bytes(of: image, .png, options)
  }

  /// Returns the bytes of a JPEG file; nil if the image has no pixels.
  public func jpegRepresentation(
    of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    try? bytes(of: image, .jpeg, options)
  }

  /// Returns the bytes of a TIFF file; nil if the image has no pixels.
  public func tiffRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    try? bytes(of: image, .tiff, options)
  }

  /// Returns the bytes of a HEIF file with HEVC; nil if the image has no pixels or libheif has no encoder.
  public func heifRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    try? bytes(of: image, .heic, options)
  }

  /// Writes a PNG file.
  public func writePNGRepresentation(
    of image: CIImage, to url: URL, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    try Picture.writeAtomically(try bytes(of: image, .png, options), toFile: url.path)
  }

  /// Writes a JPEG file.
  public func writeJPEGRepresentation(
    of image: CIImage, to url: URL, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    try Picture.writeAtomically(try bytes(of: image, .jpeg, options), toFile: url.path)
  }

  /// Writes a TIFF file.
  public func writeTIFFRepresentation(
    of image: CIImage, to url: URL, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    try Picture.writeAtomically(try bytes(of: image, .tiff, options), toFile: url.path)
  }

  /// Writes a HEIF file with HEVC.
  ///
  /// - Throws: An error if libheif has no encoder for HEVC, or if the file cannot be written.
  public func writeHEIFRepresentation(
    of image: CIImage, to url: URL, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    try Picture.writeAtomically(try bytes(of: image, .heic, options), toFile: url.path)
  }

  private func bytes(
    of image: CIImage, _ format: PictureFormat, _ options: [CIImageRepresentationOption: Any]
  ) throws -> Data {
    let key = CIImageRepresentationOption(rawValue: kCGImageDestinationLossyCompressionQuality)
    let quality: Double? =
      (options[key] as? NSNumber)?.doubleValue ?? options[key] as? Double
      ?? (options[key] as? CGFloat).map { Double($0) }
    return try image.picture.encoded(
      as: format,
      quality: quality.map { min(100, max(1, Int(($0 * 100).rounded()))) } ?? Picture.defaultQuality
    )
  }
}
