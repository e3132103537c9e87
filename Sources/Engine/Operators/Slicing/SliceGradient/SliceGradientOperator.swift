import Graph

/// The gradient of a slice. Writes the gradient of the slice's output into a tensor of zeros, at the indices that the
/// slice took.
///
/// - Input: the gradient of the slice's output.
/// - Output: the shape of the slice's input.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
public struct SliceGradientOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceGradient", summary: "a slice's gradient, written into zeros")

  /// The slice of each axis of the slice's input.
  public let slices: [AxisSlice]
  /// The shape of the slice's input.
  public let shape: Shape

  /// Creates the gradient of these slices of a tensor with this shape.
  public init(slices: [AxisSlice], of shape: Shape) {
    self.slices = slices
    self.shape = shape
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let taken: Shape = try ResolvedSlices(slices, of: shape).shape
    guard let input = inputs.first, inputs.count == 1, input.shape == taken else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs.first?.shape ?? []), expected \(taken), the slices' shape for an input of \(shape)."
      )
    }
    return [TensorType(shape, input.type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let resolved = try ResolvedSlices(slices, of: shape)
    var result = ReferenceTensor(shape)
    inputs[0].shape.forEachIndex { index, position in
      var target: [Int] = resolved.ranges.map(\.first)
      for (position, axis) in resolved.kept.enumerated() {
        target[axis] += index[position] * resolved.strides[axis]
      }
      result[target] = inputs[0].values[position]
    }
    return [result]
  }
}
