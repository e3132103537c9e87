import Graph

/// The gradient of a slice: puts what was taken back to its place among zeros.
///
/// - Input: a tensor of the slice's shape.
/// - Output: the shape that was sliced.
///
/// Made by differentiation only; no model holds it.
public struct SliceGradientOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceGradient", summary: "what a slice took, put back among zeros")

  /// What was taken of each axis.
  public let slices: [AxisSlice]
  /// What it was taken from.
  public let shape: Shape

  /// The gradient of slices of a shape.
  public init(slices: [AxisSlice], of shape: Shape) {
    self.slices = slices
    self.shape = shape
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let taken: Shape = try ResolvedSlices(slices, of: shape).shape
    guard let input = inputs.first, inputs.count == 1, input.shape == taken else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs.first?.shape ?? []), expected \(taken), what the slices take of \(shape)."
      )
    }
    return [TensorType(shape, input.type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let resolved = try ResolvedSlices(slices, of: shape)
    var result = ReferenceTensor(shape)
    inputs[0].shape.forEachIndex { index, position in
      var target: [Int] = resolved.ranges.map(\.first)
      for (place, axis) in resolved.kept.enumerated() {
        target[axis] += index[place] * resolved.strides[axis]
      }
      result[target] = inputs[0].values[position]
    }
    return [result]
  }
}
