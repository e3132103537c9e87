import Graph

extension ReshapeOperator: DifferentiableOperator {
  /// Brings the gradient into the order in which values were written, reshapes it, and back into the
  /// order in which they were read.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.reshape(back: targetShape.count == 4, order)]
  }
}

extension FlattenOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.reshape(back: false, order)]
  }
}

extension GradientContext {
  /// The gradient of an input whose values were read in an order of channels, with the batch in front
  /// where the sequence takes part.
  fileprivate mutating func reshape(back movesSequence: Bool, _ order: ChannelOrder) throws
    -> Graph.ValueID
  {
    let input: Shape = shape(of: inputs[0])
    let (read, written) = (
      Self.walk(input.rank, movesSequence, order),
      Self.walk(shape(of: output).rank, movesSequence, order)
    )
    var gradient = outputGradient
    if written != Array(written.indices) {
      gradient = try add(TransposeOperator(axes: written), gradient)
    }
    gradient = try reshape(gradient, to: Shape(read.map { input[$0] }))
    guard read != Array(read.indices) else { return gradient }
    return try add(TransposeOperator(axes: read.inverted), gradient)
  }

  /// The axes in the order in which values are walked, outermost first.
  private static func walk(_ rank: Int, _ movesSequence: Bool, _ order: ChannelOrder) -> [Int] {
    var axes: [Int] = Array(0..<rank)
    if order == .channelLast { axes.append(axes.remove(at: rank - 3)) }
    if rank == 5, movesSequence { axes.swapAt(0, 1) }
    return axes
  }
}

extension [Int] {
  /// The permutation that undoes this one.
  package var inverted: [Int] {
    var result = self
    for (position, axis) in enumerated() { result[axis] = position }
    return result
  }
}
