import Graph

/// An operator that stretches its first input over the shape of its output.
public protocol StretchingOperator: DifferentiableOperator {}

extension StretchingOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    return context.onlyFirst(try context.unbroadcast(context.outputGradient, to: shape))
  }
}

extension BroadcastToStaticOperator: StretchingOperator {}
extension BroadcastToLikeOperator: StretchingOperator {}
extension BroadcastToDynamicOperator: StretchingOperator {}

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
  /// The sum over repetitions, which become axes of their own in front of each axis.
  fileprivate mutating func untiled() throws -> Graph.ValueID {
    let (input, output) = (shape(of: inputs[0]), shape(of: self.output))
    let padded: Shape = input.padded(toRank: output.rank)
    let folded: [Int] = output.dimensions.indices.flatMap { (axis: Int) -> [Int] in
      [output[axis] / max(padded[axis], 1), padded[axis]]
    }
    var result = try reshape(outputGradient, to: Shape(folded))
    // One axis at a time: the native reduction folds what lies together.
    for axis in output.dimensions.indices where folded[2 * axis] > 1 {
      result = try add(ReduceAxesOperator(.sum, axes: [2 * axis], keepsAxes: true), result)
    }
    return try reshape(result, to: input)
  }
}
