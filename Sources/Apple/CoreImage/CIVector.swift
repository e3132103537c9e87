// The C module of this name gives `import CoreImage.CIFilterBuiltins` its meaning.
@_exported import CoreImage

/// A few numbers: an argument of a filter.
public final class CIVector: NSObject, Sendable {
  private let values: [CGFloat]

  /// Makes a vector of numbers.
  public init(values: UnsafePointer<CGFloat>, count: Int) {
    self.values = Array(UnsafeBufferPointer(start: values, count: count))
  }

  /// Makes a vector of one number.
  public init(x: CGFloat) { values = [x] }
  /// Makes a vector of two numbers.
  public init(x: CGFloat, y: CGFloat) { values = [x, y] }
  /// Makes a vector of three numbers.
  public init(x: CGFloat, y: CGFloat, z: CGFloat) { values = [x, y, z] }
  /// Makes a vector of four numbers.
  public init(x: CGFloat, y: CGFloat, z: CGFloat, w: CGFloat) { values = [x, y, z, w] }

  /// Makes a vector from a point.
  public convenience init(cgPoint point: CGPoint) { self.init(x: point.x, y: point.y) }

  /// Makes a vector from a rectangle: x, y, width, height.
  public convenience init(cgRect rect: CGRect) {
    self.init(x: rect.minX, y: rect.minY, z: rect.width, w: rect.height)
  }

  /// The length of the vector.
  public var count: Int { values.count }
  /// The first number, or 0.
  public var x: CGFloat { value(at: 0) }
  /// The second number, or 0.
  public var y: CGFloat { value(at: 1) }
  /// The third number, or 0.
  public var z: CGFloat { value(at: 2) }
  /// The fourth number, or 0.
  public var w: CGFloat { value(at: 3) }
  /// The numbers as a rectangle: x, y, width, height.
  public var cgRectValue: CGRect { CGRect(x: x, y: y, width: z, height: w) }
  /// The numbers as a point.
  public var cgPointValue: CGPoint { CGPoint(x: x, y: y) }

  /// Returns the number at an index, or 0 for an index out of range.
  public func value(at index: Int) -> CGFloat { values.indices.contains(index) ? values[index] : 0 }

  /// Vectors are equal if their numbers are equal.
  override public func isEqual(_ object: Any?) -> Bool { (object as? CIVector)?.values == values }

  /// The hash of the numbers.
  override public var hash: Int { values.hashValue }
}
