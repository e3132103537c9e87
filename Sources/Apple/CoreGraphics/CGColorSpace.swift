@_exported import CoreVideo

/// What the numbers of a picture mean as colours: grey or RGB, both with the gamma of sRGB.
///
/// Pictures are sRGB inside. The names of wider spaces are therefore not here; embedded profiles
/// are converted when a file is read.
public final class CGColorSpace: Sendable, Hashable {
  /// The kinds of colour spaces.
  public enum Model: Int32, Sendable {
    /// One component.
    case monochrome = 0
    /// Red, green, blue.
    case rgb = 1
  }

  /// Grey or RGB.
  public let model: Model

  /// The name that the space was made with.
  public let name: CFString?

  init(model: Model, name: CFString?) {
    self.model = model
    self.name = name
  }

  /// The space with a name, or `nil` where the name is not among the constants.
  public convenience init?(name: CFString) {
    switch name {
    case CGColorSpace.sRGB: self.init(model: .rgb, name: name)
    case CGColorSpace.genericGrayGamma2_2: self.init(model: .monochrome, name: name)
    default: return nil
    }
  }

  /// The RGB space that people look at: IEC 61966-2-1.
  public static let sRGB: CFString = "kCGColorSpaceSRGB"

  /// Grey with a gamma of 2.2, which stands for sRGB's curve here.
  public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"

  /// Components of a colour, alpha aside.
  public var numberOfComponents: Int { model == .rgb ? 3 : 1 }

  /// Spaces are equal when they are of the same kind.
  public static func == (left: CGColorSpace, right: CGColorSpace) -> Bool {
    left.model == right.model
  }

  /// Hashes the kind.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(model)
  }
}

/// The RGB space of pictures here: sRGB.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace {
  CGColorSpace(model: .rgb, name: CGColorSpace.sRGB)
}

/// The grey space of pictures here.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace {
  CGColorSpace(model: .monochrome, name: CGColorSpace.genericGrayGamma2_2)
}

/// How a colour that a space cannot hold is brought into it. Accepted and ignored.
public enum CGColorRenderingIntent: Int32, Sendable {
  /// The default of the device.
  case defaultIntent = 0
  /// Clips, the white point stays.
  case absoluteColorimetric = 1
  /// Clips, white is mapped to white.
  case relativeColorimetric = 2
  /// Keeps the relations between colours.
  case perceptual = 3
  /// Keeps colours vivid.
  case saturation = 4
}
