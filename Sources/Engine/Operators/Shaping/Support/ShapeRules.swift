import Graph

/// Checks that the shape rules of this family share. Errors are sentences without the operator's name.
extension Shape {
  /// The non-negative index of an axis that may count from the end.
  package func axis(_ axis: Int, _ field: String = "axis") throws -> Int {
    if let index = resolvedAxis(axis) { return index }
    throw EngineError(
      .invalidInput,
      rank == 0
        ? "\(field) is \(axis), but the input is a scalar and has no axes."
        : "\(field) is \(axis), expected \(-rank) to \(rank - 1) for an input of \(rank) dimensions (\(self))."
    )
  }

  /// Checks the number of dimensions; returns nothing but the error.
  package func requireRank(atLeast minimum: Int, _ what: String = "the input") throws {
    guard rank < minimum else { return }
    throw EngineError(
      .invalidInput,
      "\(what) has \(rank) dimensions (\(self)), expected at least \(minimum).")
  }

  /// Checks what is to be added around the axes, `[before, after]` for each; returns nothing but the error.
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

  /// The extents that an operator computed, once they are checked: none negative, and no more elements
  /// than the limit. Pictures that grow with their input pass a limit beyond any memory, so that the
  /// planner refuses them with the size that would fit.
  package static func checked(_ dimensions: [Int], limit: Int = maximumCount) throws -> Shape {
    let shape = Shape(dimensions)
    if let negative = dimensions.first(where: { $0 < 0 }) {
      throw EngineError(
        .invalidInput, "the output would have an extent of \(negative) (\(shape)).")
    }
    // An empty tensor of endless other extents would overflow its strides.
    guard Shape(dimensions.map { max($0, 1) }).count <= limit else {
      throw EngineError(
        .invalidInput,
        "the output would have \(shape) elements, more than the \(limit) that one tensor may have."
      )
    }
    return shape
  }

  /// The most elements that a shape computed from parameters or data may have.
  package static let maximumCount: Int = 1 << 31

  /// More elements than any memory holds, and few enough to count bytes in an `Int`.
  package static let boundlessCount: Int = 1 << 48

  /// The product of some extents.
  package func product(_ range: Range<Int>) -> Int { dimensions[range].product }
}

extension ReferenceTensor {
  /// A tensor whose elements are computed from their index.
  package init(_ shape: Shape, each value: (_ index: [Int]) throws -> Double) rethrows {
    var values = [Double](repeating: 0, count: shape.count)
    try shape.forEachIndex { index, position in values[position] = try value(index) }
    self.init(shape, values)
  }

  /// The values as whole numbers, as shapes, axes and indices are given; fractions are cut off, and
  /// what no tensor can have (infinite, not a number) becomes the nearest bound or zero.
  package var integers: [Int] { reals.map(ReferenceTensor.integer) }

  /// One value as a whole number, cut off towards zero and bounded by ±2³¹.
  package static func integer(_ value: Double) -> Int {
    Int(bounding: value, to: -(1 << 31)...1 << 31)
  }
}

extension OperatorInput {
  /// The values as whole numbers where they are known.
  package var integers: [Int]? { value?.integers }
}

extension TensorType {
  /// The type of another shape with the same elements.
  package func reshaped(to shape: Shape) -> TensorType { TensorType(shape, element) }
}

/// The extents of a reshape whose target may hold one −1 (the rest) and, where allowed, zeros (the
/// input's extent at the same place).
///
/// - Parameter fromEnd: whether places count from the end, where a place that the input does not have stands
///   for 1.
package func reshapedShape(
  _ input: Shape, to target: [Int], zeroKeeps: Bool, fromEnd: Bool = false
) throws -> Shape {
  var result: [Int] = target
  if zeroKeeps {
    for axis in result.indices where result[axis] == 0 {
      let place: Int = fromEnd ? input.rank - target.count + axis : axis
      if input.dimensions.indices.contains(place) {
        result[axis] = input[place]
      } else if fromEnd {
        result[axis] = 1
      }
    }
  }
  let listing: String = target.map(String.init).joined(separator: ", ")
  if let bad = result.first(where: { $0 < -1 }) {
    throw EngineError(
      .invalidInput, "the target shape [\(listing)] holds \(bad), expected sizes or one -1.")
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
