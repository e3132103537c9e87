import Foundation

/// An sRGB colour with alpha.
public final class CGColor: Sendable, Hashable {
  /// Red, green, blue and alpha, each 0…1.
  public let components: [CGFloat]?

  let bytes: [UInt8]

  /// Makes a colour from components, each 0…1.
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    let values: [CGFloat] = [red, green, blue, alpha].map { $0.isNaN ? 0 : min(1, max(0, $0)) }
    components = values
    bytes = values.map { UInt8(($0 * 255).rounded()) }
  }

  /// Makes a grey with alpha. `gray` is from 0 (black) to 1 (white), `alpha` from 0 (transparent) to 1 (opaque).
  public convenience init(gray: CGFloat, alpha: CGFloat) {
    self.init(red: gray, green: gray, blue: gray, alpha: alpha)
  }

  /// The opacity, 0…1.
  public var alpha: CGFloat { components?.last ?? 1 }

  /// Colours are equal when their components are equal.
  public static func == (left: CGColor, right: CGColor) -> Bool {
    left.components == right.components
  }

  /// Hashes the components.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(components)
  }

  /// Opaque black.
  public static let black: CGColor = CGColor(gray: 0, alpha: 1)
  /// Opaque white.
  public static let white: CGColor = CGColor(gray: 1, alpha: 1)
  /// Transparent black.
  public static let clear: CGColor = CGColor(gray: 0, alpha: 0)
}
