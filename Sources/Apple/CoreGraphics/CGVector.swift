import Foundation

/// A vector of the plane.
public struct CGVector: Sendable, Hashable, Codable {
  /// The zero vector.
  public static let zero: CGVector = CGVector(dx: 0, dy: 0)

  /// The component along x.
  public var dx: CGFloat
  /// The component along y.
  public var dy: CGFloat

  /// Makes the zero vector.
  public init() { self = .zero }

  /// Makes a vector from its components.
  public init(dx: CGFloat, dy: CGFloat) {
    self.dx = dx
    self.dy = dy
  }
}
