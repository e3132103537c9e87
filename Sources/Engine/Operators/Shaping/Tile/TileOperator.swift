import Graph

/// Repeats a tensor along its axes: `y[i] = x[i mod extents]`, like `numpy.tile`.
///
/// - Inputs: any tensor. If ``repetitions`` is nil, a second input holds the numbers of repetitions as a vector.
/// - Output: each extent is multiplied by the axis's number of repetitions. If there are fewer numbers than axes, the
///   numbers apply to the last axes. If there are more numbers than axes, the output has additional leading axes.
///
/// **Source:** `TileLayerParams`.
public struct TileOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Tile", summary: "repeats a tensor along its axes")

  /// The number of repetitions of each axis, aligned at the last axis; nil if the second input holds the numbers.
  public let repetitions: [Int]?

  /// Creates a tiling. `repetitions` is nil if the second input holds the numbers.
  public init(repetitions: [Int]?) { self.repetitions = repetitions }

  /// Returns true only for the first input. The second input holds the numbers of repetitions.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let counts = repetitions ?? inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try tiledShape(inputs[0].shape, counts))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try tiled(inputs[0], repetitions ?? inputs[1].integers)]
  }
}

/// Returns the shape of a tensor of the given shape after repetition along its axes.
package func tiledShape(_ shape: Shape, _ repetitions: [Int]) throws -> Shape {
  if let negative = repetitions.first(where: { $0 < 0 }) {
    throw EngineError(
      .invalidInput, "a repetition is \(negative), expected 0 or more.")
  }
  let rank: Int = max(shape.rank, repetitions.count)
  let counts: [Int] = Shape(repetitions).padded(toRank: rank).dimensions
  let sizes: [Int] = zip(shape.padded(toRank: rank).dimensions, counts).map { size, count -> Int in
    let (product, isTooLarge) = size.multipliedReportingOverflow(by: count)
    return isTooLarge ? Int.max : product
  }
  return try Shape.checked(sizes)
}

/// Repeats a tensor along its axes, for reference implementations.
package func tiled(_ input: ReferenceTensor, _ repetitions: [Int]) throws -> ReferenceTensor {
  let shape: Shape = try tiledShape(input.shape, repetitions)
  let source: ReferenceTensor = input.reshaped(to: input.shape.padded(toRank: shape.rank))
  return ReferenceTensor(shape) { index in
    source[zip(index, source.shape.dimensions).map { $0 % $1 }]
  }
}
