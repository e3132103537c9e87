import Graph

extension ReshapeOperator: DifferentiableOperator {
  /// Adds the gradient of the input. The reshape reads values in a channel order, changes the shape, and writes values
  /// in the same channel order. The gradient reverses these three steps.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.reshapeGradient(movesSequence: targetShape.count == 4, order)]
  }
}

extension FlattenOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.reshapeGradient(movesSequence: false, order)]
  }
}

extension GradientContext {
  /// Adds the gradient of the input of a reshape that reads and writes values in the given channel order.
  ///
  /// - Parameter movesSequence: whether the reshape also changes the sequence axis. In that case the reshape reads the
  ///   batch axis as the outermost axis.
  fileprivate mutating func reshapeGradient(movesSequence: Bool, _ order: ChannelOrder) throws
    -> Graph.ValueID
  {
    let input: Shape = shape(of: inputs[0])
    let (read, written) = (
      Self.readingOrder(input.rank, movesSequence, order),
      Self.readingOrder(shape(of: output).rank, movesSequence, order)
    )
    var gradient = outputGradient
    if written != Array(written.indices) {
      gradient = try add(TransposeOperator(axes: written), gradient)
    }
    gradient = try reshape(gradient, to: Shape(read.map { input[$0] }))
    guard read != Array(read.indices) else { return gradient }
    return try add(TransposeOperator(axes: read.inverted), gradient)
  }

  /// Returns the axes in the order in which the reshape reads values, outermost axis first.
  private static func readingOrder(_ rank: Int, _ movesSequence: Bool, _ order: ChannelOrder)
    -> [Int]
  {
    var axes: [Int] = Array(0..<rank)
    if order == .channelLast { axes.append(axes.remove(at: rank - 3)) }
    if rank == 5, movesSequence { axes.swapAt(0, 1) }
    return axes
  }
}

extension [Int] {
  /// The inverse permutation.
  package var inverted: [Int] {
    var result = self
    for (position, axis) in enumerated() { result[axis] = position }
    return result
  }
}
