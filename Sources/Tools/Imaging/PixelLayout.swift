/// How pixels lie in memory that is not a `Picture`: a pixel buffer, a `CGImage`, a tensor's image.
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

  /// What the fourth byte says.
  public enum Alpha: Hashable, Sendable {
    /// Nothing: it is not read, and written as 255.
    case skipped
    /// Opacity; colours are not multiplied by it.
    case straight
    /// Opacity; colours are multiplied by it.
    case premultiplied
  }

  /// The bytes that one pixel takes.
  public var bytesPerPixel: Int {
    switch self {
    case .grey8: return 1
    case .greyHalf: return 2
    case .rgb, .bgr: return 3
    case .greyFloat, .rgba, .bgra, .argb, .abgr: return 4
    }
  }

  /// What the fourth byte says, or `nil` where there is none.
  public var alpha: Alpha? {
    switch self {
    case .grey8, .greyHalf, .greyFloat, .rgb, .bgr: return nil
    case .rgba(let alpha), .bgra(let alpha), .argb(let alpha), .abgr(let alpha): return alpha
    }
  }
}
