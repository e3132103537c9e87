import CVips
import Foundation

/// How a picture is written to a file: its quality, and the metadata that the file gets.
public struct PictureEncoding: Sendable {
  /// The resolution of colours in a JPEG.
  public enum Chroma: Sendable, Hashable {
    /// Chroma has the resolution of luminance (4:4:4).
    case full
    /// Chroma has half the width and height of luminance (4:2:0).
    case half
  }

  /// The compression of a TIFF. Every one is lossless.
  public enum Compression: String, Sendable, CaseIterable {
    case none, lzw, deflate
  }

  /// 1 (small) … 100 (good) for JPEG, WebP, HEIC and AVIF. Ignored for other formats.
  public var quality: Int
  /// The resolution of colours in a JPEG. Nil for full at a quality of 90 or more, and half below.
  public var chroma: Chroma?
  /// Whether a JPEG is progressive, and a PNG interlaced: viewers show it coarsely before all data have arrived.
  public var isProgressive = false
  /// The compression of a TIFF.
  public var compression: Compression = .deflate
  /// The resolution for printing. Nil to state none.
  public var resolution: PictureResolution?
  /// The ICC profile to embed. The colours are converted to this profile. Nil for sRGB without a profile. A profile
  /// that is not for RGB, or to which colours cannot be converted, is ignored.
  public var profile: Data?
  /// EXIF data, which begin with their TIFF header. Only used for JPEG, HEIC and AVIF.
  public var exif: Data?
  /// An XMP packet.
  public var xmp: Data?
  /// For JPEG, the content of a Photoshop segment without its name. For TIFF, an IPTC record. Ignored for other
  /// formats.
  public var iptc: Data?

  /// Creates an encoding without metadata.
  public init(quality: Int = Picture.defaultQuality) { self.quality = quality }

  /// Checks the quality.
  func check(name: String) throws {
    guard (1...100).contains(quality) else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': the quality must be between 1 and 100, but is \(quality).")
    }
  }

  /// The profile to which colours are converted. Nil if they stay in sRGB.
  var target: Data? {
    guard let profile, !isInSRGB, profile.withUnsafeBytes({ ColourProfile($0).isTargetForRGB })
    else { return nil }
    return profile
  }

  /// Whether the profile describes sRGB, so that colours need no conversion.
  private var isInSRGB: Bool { profile?.withUnsafeBytes { ColourProfile($0).isSRGB } ?? true }

  /// Calls the closure with these settings in the form that C functions take.
  ///
  /// - Parameter animation: The height, the delays and the number of loops of an animation. Nil for a single picture.
  func withC<Result>(
    animation: (height: Int, delays: [Int32], loops: Int)? = nil,
    _ body: (UnsafePointer<CVipsEncoding>) throws -> Result
  ) rethrows -> Result {
    var settings = CVipsEncoding()
    settings.quality = Int32(quality)
    settings.is_subsampled = chroma.map { $0 == .half } ?? (quality < 90) ? 1 : 0
    settings.is_progressive = isProgressive ? 1 : 0
    switch compression {
    case .none: settings.compression = CVIPS_TIFF_NONE
    case .lzw: settings.compression = CVIPS_TIFF_LZW
    case .deflate: settings.compression = CVIPS_TIFF_DEFLATE
    }
    settings.horizontal_resolution = resolution?.horizontal ?? 0
    settings.vertical_resolution = resolution?.vertical ?? 0
    settings.page_height = Int32(animation?.height ?? 0)
    settings.loop_count = Int32(animation?.loops ?? 0)
    let isEmbeddable: Bool = profile.map { target != nil || isInSRGB && $0.count > 128 } ?? false
    return try Self.bytes(isEmbeddable ? profile : nil) { profile in
      try Self.bytes(xmp) { xmp in
        try Self.bytes(iptc) { iptc in
          try Self.bytes(exif) { exif in
            try (animation?.delays ?? []).withUnsafeBufferPointer { delays in
              settings.profile = profile
              settings.xmp = xmp
              settings.iptc = iptc
              settings.exif = exif
              settings.delays = delays.baseAddress
              settings.delay_count = Int32(delays.count)
              return try withUnsafePointer(to: settings) { try body($0) }
            }
          }
        }
      }
    }
  }

  private static func bytes<Result>(
    _ data: Data?, _ body: (CVipsBytes) throws -> Result
  ) rethrows -> Result {
    guard let data, !data.isEmpty else { return try body(CVipsBytes()) }
    return try data.withUnsafeBytes {
      try body(CVipsBytes(bytes: $0.baseAddress, count: $0.count))
    }
  }
}

/// The number of pixels per millimetre at which a picture is printed.
public struct PictureResolution: Sendable, Hashable {
  /// Pixels per millimetre from left to right.
  public var horizontal: Double
  /// Pixels per millimetre from top to bottom.
  public var vertical: Double

  /// Creates a resolution in pixels per millimetre.
  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// Creates a resolution in pixels per inch (DPI).
  public init(pixelsPerInch: Double) {
    self.init(horizontal: pixelsPerInch / 25.4, vertical: pixelsPerInch / 25.4)
  }
}
