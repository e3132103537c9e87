import CoreGraphics
import Foundation

/// The key of a recognised point, such as a joint.
public struct VNRecognizedPointKey: RawRepresentable, Hashable, Sendable {
  /// The key's text.
  public let rawValue: String
  /// Makes a key from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The key of a group of recognised points.
public struct VNRecognizedPointGroupKey: RawRepresentable, Hashable, Sendable {
  /// The key's text.
  public let rawValue: String
  /// Makes a key from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// All points.
  public static let all = VNRecognizedPointGroupKey(rawValue: "VNIPOAll")
}

/// A point in an image, normalised to the image (0 to 1), with the origin at the lower left.
open class VNPoint: NSObject {
  /// The position.
  public let location: CGPoint

  /// Makes a point from its position.
  public init(location: CGPoint) { self.location = location }

  /// Makes a point from its coordinates.
  public convenience init(x: Double, y: Double) { self.init(location: CGPoint(x: x, y: y)) }

  /// The horizontal coordinate.
  public var x: Double { Double(location.x) }
  /// The vertical coordinate.
  public var y: Double { Double(location.y) }

  /// The origin.
  open class var zero: VNPoint { VNPoint(x: 0, y: 0) }

  /// Returns the distance to another point.
  open func distance(_ point: VNPoint) -> Double { hypot(x - point.x, y - point.y) }

  /// The coordinates.
  override open var description: String { "[\(x), \(y)]" }
}

/// A point that a request found.
open class VNDetectedPoint: VNPoint {
  /// The confidence, 0 to 1.
  public let confidence: VNConfidence

  init(location: CGPoint, confidence: VNConfidence) {
    self.confidence = confidence
    super.init(location: location)
  }
}

/// A point that a request found and named.
open class VNRecognizedPoint: VNDetectedPoint {
  /// The key of the point.
  public let identifier: VNRecognizedPointKey

  init(_ identifier: VNRecognizedPointKey, at location: CGPoint, confidence: VNConfidence) {
    self.identifier = identifier
    super.init(location: location, confidence: confidence)
  }
}
