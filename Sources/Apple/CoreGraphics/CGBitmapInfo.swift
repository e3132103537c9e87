/// The position and the meaning of alpha in a pixel.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// No alpha.
  case none = 0
  /// Alpha after the colour components. The colour components are premultiplied by alpha.
  case premultipliedLast = 1
  /// Alpha before the colour components. The colour components are premultiplied by alpha.
  case premultipliedFirst = 2
  /// Alpha after the colour components. The colour components are not premultiplied.
  case last = 3
  /// Alpha before the colour components. The colour components are not premultiplied.
  case first = 4
  /// An unused byte after the colour components.
  case noneSkipLast = 5
  /// An unused byte before the colour components.
  case noneSkipFirst = 6
  /// Alpha without colour components.
  case alphaOnly = 7
}

/// The order of the bytes in a pixel.
public enum CGImageByteOrderInfo: UInt32, Sendable {
  /// The bits of the byte order.
  case orderMask = 0x7000
  /// The default order: the components are in memory in the order of their names.
  case orderDefault = 0
  /// 16-bit words, little-endian.
  case order16Little = 0x1000
  /// 32-bit words, little-endian: the components are in memory in the reverse order of their names.
  case order32Little = 0x2000
  /// 16-bit words, big-endian.
  case order16Big = 0x3000
  /// 32-bit words, big-endian: the components are in memory in the order of their names.
  case order32Big = 0x4000
}

/// The packing of components that do not have whole bytes.
public enum CGImagePixelFormatInfo: UInt32, Sendable {
  /// The bits of the packing.
  case mask = 0xF0000
  /// Each component has the same number of bits.
  case packed = 0
  /// 5 bits for each colour component.
  case RGB555 = 0x10000
  /// 5, 6 and 5 bits.
  case RGB565 = 0x20000
  /// 10 bits for each colour component.
  case RGB101010 = 0x30000
  /// 10 bits for each colour component, in an extended range.
  case RGBCIF10 = 0x40000
}

/// The pixel layout of a bitmap: alpha, byte order, and whether components are floats.
public struct CGBitmapInfo: OptionSet, Sendable, Hashable {
  /// The bits of the layout.
  public let rawValue: UInt32

  /// Makes a layout from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The bits of the `CGImageAlphaInfo`.
  public static let alphaInfoMask: CGBitmapInfo = CGBitmapInfo(rawValue: 0x1F)
  /// Components are floats. Not supported here.
  public static let floatComponents: CGBitmapInfo = CGBitmapInfo(rawValue: 0x100)
  /// The bits of the byte order.
  public static let byteOrderMask: CGBitmapInfo = CGBitmapInfo(rawValue: 0x7000)
  /// 16-bit words, little-endian.
  public static let byteOrder16Little: CGBitmapInfo = CGBitmapInfo(rawValue: 0x1000)
  /// 32-bit words, little-endian: the components are in memory in the reverse order of their names.
  public static let byteOrder32Little: CGBitmapInfo = CGBitmapInfo(rawValue: 0x2000)
  /// 16-bit words, big-endian.
  public static let byteOrder16Big: CGBitmapInfo = CGBitmapInfo(rawValue: 0x3000)
  /// 32-bit words, big-endian: the components are in memory in the order of their names.
  public static let byteOrder32Big: CGBitmapInfo = CGBitmapInfo(rawValue: 0x4000)
  /// The default order: the components are in memory in the order of their names.
  public static let byteOrderDefault: CGBitmapInfo = []

  /// The byte order in the layout.
  var byteOrder: CGImageByteOrderInfo {
    CGImageByteOrderInfo(rawValue: rawValue & 0x7000) ?? .orderDefault
  }

  /// The packing of the components in the layout.
  var pixelFormat: CGImagePixelFormatInfo {
    CGImagePixelFormatInfo(rawValue: rawValue & 0xF0000) ?? .packed
  }

  /// The alpha information in the layout.
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: rawValue & 0x1F) ?? .none
  }
}
