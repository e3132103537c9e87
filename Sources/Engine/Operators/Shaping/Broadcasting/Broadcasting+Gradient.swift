import Graph

/// An operator that broadcasts its first input to the shape of its output.
public protocol BroadcastToOperator: DifferentiableOperator {}

extension BroadcastToOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    return context.onlyFirst(try context.unbroadcast(context.outputGradient, to: shape))
  }
}

extension BroadcastToStaticOperator: BroadcastToOperator {}
extension BroadcastToLikeOperator: BroadcastToOperator {}
extension BroadcastToDynamicOperator: BroadcastToOperator {}

extension TileOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    context.onlyFirst(try context.untiled())
  }
}

extension SequenceRepeatOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.untiled()]
  }
}

extension GradientContext {
  /// Returns the gradient of an input that the operator repeats: the sum of the output's gradient over all repetitions.
  /// Splits each axis of the output's gradient into two axes, the repetitions and the input's axis. Then sums over the
  /// repetitions.
  fileprivate mutating func untiled() throws -> Graph.ValueID {
    let (input, output) = (shape(of: inputs[0]), shape(of: self.output))
    let padded: Shape = input.padded(toRank: output.rank)
    let splitShape: [Int] = output.dimensions.indices.flatMap { (axis: Int) -> [Int] in
      [output[axis] / max(padded[axis], 1), padded[axis]]
    }
    var result = try reshape(outputGradient, to: Shape(splitShape))
    // Each operator reduces one axis, because the kernel reduces several axes together only if they are adjacent.
    for axis in output.dimensions.indices where splitShape[2 * axis] > 1 {
      result = try add(ReduceAxesOperator(.sum, axes: [2 * axis], keepsAxes: true), result)
    }
    return try reshape(result, to: input)
  }
}
