import Graph

/// Repeats a tensor along its axes: `y[i] = x[i mod extents]`, as `numpy.tile`.
///
/// - Inputs: any tensor, and optionally how often each axis is repeated; without it, the parameter.
/// - Output: each extent times its repetitions. Fewer repetitions than axes belong to the last
///   axes; more make new axes in front.
///
/// **Source:** `TileLayerParams`.
public struct TileOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Tile", summary: "repeats a tensor along its axes")

  /// How often each axis is repeated, aligned at the last; nil when the second input says.
  public let repetitions: [Int]?

  /// A repetition; nil where the second input holds the numbers.
  public init(repetitions: [Int]?) { self.repetitions = repetitions }

  /// The second input says where, and is not moved.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let counts = repetitions ?? inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try tiledShape(inputs[0].shape, counts))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try tiled(inputs[0], repetitions ?? inputs[1].integers)]
  }
}

/// The shape of a tensor repeated along its axes.
package func tiledShape(_ shape: Shape, _ repetitions: [Int]) throws -> Shape {
  if let negative = repetitions.first(where: { $0 < 0 }) {
    throw EngineError(
      .invalidInput, "a repetition of \(negative) was asked for, expected 0 or more.")
  }
  let rank: Int = max(shape.rank, repetitions.count)
  let counts: [Int] = Shape(repetitions).padded(toRank: rank).dimensions
  let sizes: [Int] = zip(shape.padded(toRank: rank).dimensions, counts).map { size, count -> Int in
    let (product, isTooLarge) = size.multipliedReportingOverflow(by: count)
    return isTooLarge ? Int.max : product
  }
  return try Shape.checked(sizes)
}

/// A tensor repeated along its axes, in plain loops.
package func tiled(_ input: ReferenceTensor, _ repetitions: [Int]) throws -> ReferenceTensor {
  let shape: Shape = try tiledShape(input.shape, repetitions)
  let source: ReferenceTensor = input.reshaped(to: input.shape.padded(toRank: shape.rank))
  return ReferenceTensor(shape) { index in
    source[zip(index, source.shape.dimensions).map { $0 % $1 }]
  }
}
