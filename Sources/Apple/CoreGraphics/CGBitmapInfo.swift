/// Where alpha lies in a pixel and what it means.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// There is no alpha.
  case none = 0
  /// Alpha after the colours, which are multiplied by it.
  case premultipliedLast = 1
  /// Alpha before the colours, which are multiplied by it.
  case premultipliedFirst = 2
  /// Alpha after the colours, which are not multiplied by it.
  case last = 3
  /// Alpha before the colours, which are not multiplied by it.
  case first = 4
  /// A byte after the colours that means nothing.
  case noneSkipLast = 5
  /// A byte before the colours that means nothing.
  case noneSkipFirst = 6
  /// Alpha without colours.
  case alphaOnly = 7
}

/// The order of the bytes in a pixel.
public enum CGImageByteOrderInfo: UInt32, Sendable {
  /// The bits of the order.
  case orderMask = 0x7000
  /// Components in the order of their names.
  case orderDefault = 0
  /// 16-bit words, little-endian.
  case order16Little = 0x1000
  /// 32-bit words, little-endian: the components lie in the reverse order.
  case order32Little = 0x2000
  /// 16-bit words, big-endian.
  case order16Big = 0x3000
  /// 32-bit words, big-endian: components in the order of their names.
  case order32Big = 0x4000
}

/// The layout of a bitmap's pixels: alpha, byte order, whether components are floats.
public struct CGBitmapInfo: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32

  /// A layout from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The bits that hold a `CGImageAlphaInfo`.
  public static let alphaInfoMask: CGBitmapInfo = CGBitmapInfo(rawValue: 0x1F)
  /// Components are floats. No bitmap here can hold such.
  public static let floatComponents: CGBitmapInfo = CGBitmapInfo(rawValue: 0x100)
  /// The bits of the byte order.
  public static let byteOrderMask: CGBitmapInfo = CGBitmapInfo(rawValue: 0x7000)
  /// 16-bit words, little-endian.
  public static let byteOrder16Little: CGBitmapInfo = CGBitmapInfo(rawValue: 0x1000)
  /// 32-bit words, little-endian: the components lie in the reverse order.
  public static let byteOrder32Little: CGBitmapInfo = CGBitmapInfo(rawValue: 0x2000)
  /// 16-bit words, big-endian.
  public static let byteOrder16Big: CGBitmapInfo = CGBitmapInfo(rawValue: 0x3000)
  /// 32-bit words, big-endian: components in the order of their names.
  public static let byteOrder32Big: CGBitmapInfo = CGBitmapInfo(rawValue: 0x4000)
  /// Components in the order of their names.
  public static let byteOrderDefault: CGBitmapInfo = []

  /// The alpha part.
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: rawValue & 0x1F) ?? .none
  }
}
