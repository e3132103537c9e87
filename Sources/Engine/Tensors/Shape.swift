/// The extents of a tensor, outermost first: `[N, C, H, W]`, or `[sequence, batch, C, H, W]` in the rank-5 array
/// mapping of early Core ML models.
///
/// A dimension may be zero (an empty tensor); rank zero is a scalar of one element.
public struct Shape: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
  /// The extents, outermost first.
  public var dimensions: [Int]

  /// Creates a shape of the given extents, outermost first.
  public init(_ dimensions: [Int]) { self.dimensions = dimensions }

  /// Creates a shape from an array literal, for example `[1, 3, 320, 320]`.
  public init(arrayLiteral elements: Int...) { self.dimensions = elements }

  /// The number of dimensions.
  public var rank: Int { dimensions.count }

  /// The number of elements: the product of the extents, 1 for a scalar.
  ///
  /// Saturates at `Int.max`, so that the elements of a shape from an untrusted file can be counted before the shape is
  /// rejected. If an extent is 0, the count is 0.
  public var count: Int {
    var product = 1
    for extent in dimensions {
      let (value, overflow) = product.multipliedReportingOverflow(by: extent)
      if overflow { return dimensions.contains(0) ? 0 : Int.max }
      product = value
    }
    return product
  }

  /// Whether kernels can count the elements: all extents are between 0 and 2³¹ − 1, and the product of the extents
  /// above 0 is at most 2⁴⁰. Readers reject other shapes.
  public var isMeasurable: Bool {
    var product = 1
    for extent in dimensions {
      guard extent >= 0, extent <= Int(Int32.max) else { return false }
      let (value, overflow) = product.multipliedReportingOverflow(by: max(extent, 1))
      if overflow || value > 1 << 40 { return false }
      product = value
    }
    return true
  }

  /// The extent of a dimension. A negative index counts from the end: `-1` is the innermost dimension.
  public subscript(index: Int) -> Int {
    get { dimensions[index < 0 ? dimensions.count + index : index] }
    set { dimensions[index < 0 ? dimensions.count + index : index] = newValue }
  }

  /// The distance between neighbouring elements along each dimension, in elements, in row-major order without padding.
  /// Saturates at `Int.max`.
  public var strides: [Int] {
    var result = [Int](repeating: 1, count: rank)
    var step = 1
    for index in stride(from: rank - 1, through: 0, by: -1) {
      result[index] = step
      step = [step, max(dimensions[index], 1)].product
    }
    return result
  }

  /// Returns the shape with leading ones up to the given rank; unchanged if it has that rank already.
  public func padded(toRank rank: Int) -> Shape {
    let missing = rank - self.rank
    return missing <= 0 ? self : Shape([Int](repeating: 1, count: missing) + dimensions)
  }

  /// Returns the non-negative index of an axis. A negative `axis` counts from the end. Nil if the shape does not have
  /// the axis.
  public func resolvedAxis(_ axis: Int) -> Int? {
    let index = axis < 0 ? axis + rank : axis
    return dimensions.indices.contains(index) ? index : nil
  }

  /// The extents joined by multiplication signs, for example `1 × 3 × 320 × 320`; `scalar` for rank zero.
  public var description: String {
    dimensions.isEmpty ? "scalar" : dimensions.map(String.init).joined(separator: " × ")
  }

  /// Returns the common shape of two shapes, broadcast against each other as in NumPy: aligned at the innermost
  /// dimension, with extents of 1 repeated. Nil if the shapes cannot be broadcast.
  public static func broadcast(_ first: Shape, _ second: Shape) -> Shape? {
    let rank = max(first.rank, second.rank)
    let left = first.padded(toRank: rank)
    let right = second.padded(toRank: rank)
    var result = left
    for index in 0..<rank where left[index] != right[index] {
      if left[index] == 1 {
        result[index] = right[index]
      } else if right[index] != 1 {
        return nil
      }
    }
    return result
  }
}
