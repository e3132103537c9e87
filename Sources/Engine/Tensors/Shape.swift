/// The extents of a tensor, outermost first: `[N, C, H, W]` or, in the five-dimensional mapping of
/// early Core ML models, `[sequence, batch, C, H, W]`.
///
/// A dimension may be zero (an empty tensor); rank zero is a scalar of one element.
public struct Shape: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
  /// The extents, outermost first.
  public var dimensions: [Int]

  /// A shape of the given extents, outermost first.
  public init(_ dimensions: [Int]) { self.dimensions = dimensions }

  /// A shape written as a literal, `[1, 3, 320, 320]`.
  public init(arrayLiteral elements: Int...) { self.dimensions = elements }

  /// The number of dimensions.
  public var rank: Int { dimensions.count }

  /// The number of elements: the product of the extents, 1 for a scalar.
  ///
  /// Saturates at `Int.max` rather than overflow, so that a shape from an untrusted file can be
  /// measured before it is refused; an extent of 0 makes it 0, whatever the others are.
  public var count: Int {
    var product = 1
    for extent in dimensions {
      let (value, overflow) = product.multipliedReportingOverflow(by: extent)
      if overflow { return dimensions.contains(0) ? 0 : Int.max }
      product = value
    }
    return product
  }

  /// Whether kernels can count its elements: no extent is negative or above 2³¹ − 1, and all but the
  /// empty ones multiply to 2⁴⁰ at most. Files may say anything; nothing larger is planned.
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

  /// The extent of a dimension; a negative index counts from the end (`-1` is the innermost).
  public subscript(index: Int) -> Int {
    get { dimensions[index < 0 ? dimensions.count + index : index] }
    set { dimensions[index < 0 ? dimensions.count + index : index] = newValue }
  }

  /// The distance in elements between neighbours along each dimension when the innermost runs
  /// fastest and nothing is padded. Saturates, as ``count`` does.
  public var strides: [Int] {
    var result = [Int](repeating: 1, count: rank)
    var step = 1
    for index in stride(from: rank - 1, through: 0, by: -1) {
      result[index] = step
      step = [step, max(dimensions[index], 1)].product
    }
    return result
  }

  /// The same elements under leading ones up to the given rank; unchanged when already as long.
  public func padded(toRank rank: Int) -> Shape {
    let missing = rank - self.rank
    return missing <= 0 ? self : Shape([Int](repeating: 1, count: missing) + dimensions)
  }

  /// The non-negative index of an axis that may count from the end, or nil when it is out of range.
  public func resolvedAxis(_ axis: Int) -> Int? {
    let index = axis < 0 ? axis + rank : axis
    return dimensions.indices.contains(index) ? index : nil
  }

  /// The extents joined by multiplication signs, `1 × 3 × 320 × 320`; `scalar` for rank zero.
  public var description: String {
    dimensions.isEmpty ? "scalar" : dimensions.map(String.init).joined(separator: " × ")
  }

  /// The shape of the elements when two shapes are broadcast against each other, as NumPy does:
  /// aligned at the innermost dimension, an extent of one stretches. Nil when they do not fit.
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
