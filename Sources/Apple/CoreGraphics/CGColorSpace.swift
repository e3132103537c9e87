@_exported import CoreVideo

/// A colour space: grey or RGB, both with the gamma of sRGB.
///
/// All images are sRGB internally, so this type has no names for wider colour spaces. When the framework reads a file
/// with an embedded colour profile, it converts the pixels to sRGB.
public final class CGColorSpace: Sendable, Hashable {
  /// The models of colour spaces.
  public enum Model: Int32, Sendable {
    /// One component.
    case monochrome = 0
    /// Red, green and blue.
    case rgb = 1
  }

  /// The model: grey or RGB.
  public let model: Model

  /// The name of the space.
  public let name: CFString?

  init(model: Model, name: CFString?) {
    self.model = model
    self.name = name
  }

  /// Makes the colour space with a name. Returns nil for a name that is not one of the constants.
  public convenience init?(name: CFString) {
    switch name {
    case CGColorSpace.sRGB: self.init(model: .rgb, name: name)
    case CGColorSpace.genericGrayGamma2_2: self.init(model: .monochrome, name: name)
    default: return nil
    }
  }

  /// The standard RGB space, IEC 61966-2-1.
  public static let sRGB: CFString = "kCGColorSpaceSRGB"

  /// Grey with a gamma of 2.2. Here, the space has sRGB's transfer curve.
  public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"

  /// The number of components of a colour, without alpha.
  public var numberOfComponents: Int { model == .rgb ? 3 : 1 }

  /// Spaces are equal when their models are equal.
  public static func == (left: CGColorSpace, right: CGColorSpace) -> Bool {
    left.model == right.model
  }

  /// Hashes the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(model)
  }
}

/// Returns the RGB colour space of all images in this framework: sRGB.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace {
  CGColorSpace(model: .rgb, name: CGColorSpace.sRGB)
}

/// Returns the grey colour space of all images in this framework.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace {
  CGColorSpace(model: .monochrome, name: CGColorSpace.genericGrayGamma2_2)
}

/// How colours outside of a colour space's gamut are mapped into the gamut. The intent has no effect here.
public enum CGColorRenderingIntent: Int32, Sendable {
  /// The default of the device.
  case defaultIntent = 0
  /// Clips colours and keeps the white point.
  case absoluteColorimetric = 1
  /// Clips colours and maps white to white.
  case relativeColorimetric = 2
  /// Keeps the relations between colours.
  case perceptual = 3
  /// Keeps colours vivid.
  case saturation = 4
}
