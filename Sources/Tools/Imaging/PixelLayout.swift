/// The layout of pixels outside of a `Picture`, for example in a pixel buffer or a `CGImage`.
public enum PixelLayout: Hashable, Sendable {
  /// One byte of luma, 0…255.
  case grey8
  /// One half-precision float of luma, 0…1.
  case greyHalf
  /// One single-precision float of luma, 0…1.
  case greyFloat
  /// Three bytes in the order red, green, blue.
  case rgb
  /// Three bytes in the order blue, green, red.
  case bgr
  /// Four bytes in the order red, green, blue, alpha.
  case rgba(Alpha)
  /// Four bytes in the order blue, green, red, alpha.
  case bgra(Alpha)
  /// Four bytes in the order alpha, red, green, blue.
  case argb(Alpha)
  /// Four bytes in the order alpha, blue, green, red.
  case abgr(Alpha)

  /// The meaning of the fourth byte.
  public enum Alpha: Hashable, Sendable {
    /// The byte has no meaning. Reading ignores it, and writing sets it to 255.
    case skipped
    /// The byte is the opacity, and the colours are not multiplied by the opacity.
    case straight
    /// The byte is the opacity, and the colours are multiplied by the opacity.
    case premultiplied
  }

  /// The number of bytes that one pixel takes.
  public var bytesPerPixel: Int {
    switch self {
    case .grey8: return 1
    case .greyHalf: return 2
    case .rgb, .bgr: return 3
    case .greyFloat, .rgba, .bgra, .argb, .abgr: return 4
    }
  }

  /// The meaning of the fourth byte. Nil if a pixel has fewer bytes.
  public var alpha: Alpha? {
    switch self {
    case .grey8, .greyHalf, .greyFloat, .rgb, .bgr: return nil
    case .rgba(let alpha), .bgra(let alpha), .argb(let alpha), .abgr(let alpha): return alpha
    }
  }
}
