import Graph

/// Shape checks that several operators share. The error messages do not contain the operator's name.
extension Shape {
  /// Returns an axis as a non-negative index. A negative axis counts from the end. Throws if the axis does not exist.
  package func axis(_ axis: Int, _ field: String = "axis") throws -> Int {
    if let index = resolvedAxis(axis) { return index }
    throw EngineError(
      .invalidInput,
      rank == 0
        ? "\(field) is \(axis), but the input is a scalar and has no axes."
        : "\(field) is \(axis), expected \(-rank) to \(rank - 1) for an input of \(rank) dimensions (\(self))."
    )
  }

  /// Checks that the shape has at least `minimum` dimensions.
  package func requireRank(atLeast minimum: Int, _ what: String = "the input") throws {
    guard rank < minimum else { return }
    throw EngineError(
      .invalidInput,
      "\(what) has \(rank) dimensions (\(self)), expected at least \(minimum).")
  }

  /// Checks the amounts of a padding. There must be two amounts for each axis, `[before, after]`, and none may be
  /// negative.
  package func requireAmounts(_ amounts: [Int]) throws {
    guard amounts.count == 2 * rank else {
      throw EngineError(
        .invalidInput,
        "\(amounts.count) amounts are given, expected \(2 * rank), two for each dimension of the input (\(self))."
      )
    }
    if let negative = amounts.first(where: { $0 < 0 }) {
      throw EngineError(.invalidInput, "an amount is \(negative), expected 0 or more.")
    }
  }

  /// Checks the extents that an operator computed. No extent may be negative, and the number of elements must not
  /// exceed the limit. Operators that enlarge images pass ``boundlessCount`` as the limit. For them, the planner
  /// rejects a shape that does not fit into memory, and the planner's error names the size that would fit.
  package static func checked(_ dimensions: [Int], limit: Int = maximumCount) throws -> Shape {
    let shape = Shape(dimensions)
    if let negative = dimensions.first(where: { $0 < 0 }) {
      throw EngineError(
        .invalidInput, "the output would have an extent of \(negative) (\(shape)).")
    }
    // The strides of an empty tensor could overflow if its other extents are huge. So an extent of 0 counts as 1 here.
    guard Shape(dimensions.map { max($0, 1) }).count <= limit else {
      throw EngineError(
        .invalidInput,
        "the output would have \(shape) elements, more than the \(limit) that one tensor may have."
      )
    }
    return shape
  }

  /// The largest number of elements that a shape computed from parameters or data may have.
  package static let maximumCount: Int = 1 << 31

  /// A number of elements that exceeds any memory, but whose size in bytes fits into an `Int`.
  package static let boundlessCount: Int = 1 << 48

  /// Returns the product of the extents of a range of axes.
  package func product(_ range: Range<Int>) -> Int { dimensions[range].product }
}

extension ReferenceTensor {
  /// Creates a tensor. The closure computes each element from its index.
  package init(_ shape: Shape, each value: (_ index: [Int]) throws -> Double) rethrows {
    var values = [Double](repeating: 0, count: shape.count)
    try shape.forEachIndex { index, position in values[position] = try value(index) }
    self.init(shape, values)
  }

  /// The values as integers, for shapes, axes and indices. Fractions are truncated. Values beyond ±2³¹ become ±2³¹, and
  /// NaN becomes zero.
  package var integers: [Int] { reals.map(ReferenceTensor.integer) }

  /// Returns one value as an integer: truncated, and clamped to ±2³¹.
  package static func integer(_ value: Double) -> Int {
    Int(bounding: value, to: -(1 << 31)...1 << 31)
  }
}

extension OperatorInput {
  /// The input's values as integers; nil if the values are not known before the run.
  package var integers: [Int]? { value?.integers }
}

extension TensorType {
  /// Returns the type with another shape and the same element type.
  package func reshaped(to shape: Shape) -> TensorType { TensorType(shape, element) }
}

/// Returns the output's shape of a reshape. The target may hold one −1, which the function computes from the other
/// sizes. If `zeroKeeps` is true, a target size of 0 keeps the input's extent at the same index.
///
/// - Parameter fromEnd: whether the index of a 0 counts from the last axis. In that case a 0 becomes 1 if the input has
///   no axis at this index.
package func reshapedShape(
  _ input: Shape, to target: [Int], zeroKeeps: Bool, fromEnd: Bool = false
) throws -> Shape {
  var result: [Int] = target
  if zeroKeeps {
    for axis in result.indices where result[axis] == 0 {
      let source: Int = fromEnd ? input.rank - target.count + axis : axis
      if input.dimensions.indices.contains(source) {
        result[axis] = input[source]
      } else if fromEnd {
        result[axis] = 1
      }
    }
  }
  let listing: String = target.map(String.init).joined(separator: ", ")
  if let invalid = result.first(where: { $0 < -1 }) {
    throw EngineError(
      .invalidInput, "the target shape [\(listing)] holds \(invalid), expected sizes or one -1.")
  }
  let open: [Int] = result.indices.filter { result[$0] == -1 }
  if open.count > 1 {
    throw EngineError(
      .invalidInput, "the target shape [\(listing)] holds \(open.count) times -1, expected one.")
  }
  if let axis = open.first {
    result[axis] = 1
    let rest: Int = Shape(result).count
    if rest > 0, input.count % rest == 0 {
      result[axis] = input.count / rest
    } else if rest == 0, input.count == 0 {
      result[axis] = 0
    } else {
      throw EngineError(
        .invalidInput,
        "the \(input.count) values of the input (\(input)) do not divide into the target shape [\(listing)]."
      )
    }
  }
  let shape = Shape(result)
  guard shape.count == input.count else {
    throw EngineError(
      .invalidInput,
      "the target shape [\(listing)] holds \(shape.count) values, but the input (\(input)) has \(input.count)."
    )
  }
  return shape
}
