import Graph

// The gradient of a concatenation is a split, and the gradient of a split is a concatenation.

extension ConcatOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.split(along: joinsSequence ? -5 : -3)
  }
}

extension ConcatNDOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard isInterleaved else { return try context.split(along: axis) }
    let shape: Shape = context.shape(of: context.output)
    let axis: Int = try shape.axis(axis)
    let count: Int = context.inputs.count
    return try (0..<count).map { (input: Int) -> Graph.ValueID? in
      guard context.isWanted[input] else { return nil }
      var slices = [AxisSlice](repeating: AxisSlice(), count: shape.rank)
      slices[axis] = AxisSlice(begin: input, stride: count)
      return try context.add(SliceStaticOperator(slices: slices), context.outputGradient)
    }
  }
}

extension StackOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.output)
    let axis: Int = try shape.axis(axis)
    return try context.inputs.indices.map { (input: Int) -> Graph.ValueID? in
      guard context.isWanted[input] else { return nil }
      var slices = [AxisSlice](repeating: AxisSlice(), count: shape.rank)
      slices[axis] = AxisSlice(begin: input, isSqueezed: true)
      let part = try context.add(SliceStaticOperator(slices: slices), context.outputGradient)
      return try context.reshape(part, to: context.shape(of: context.inputs[input]))
    }
  }
}

extension SplitOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.join(along: -3)
  }
}

extension SplitNDOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.join(along: axis)
  }
}

extension GradientContext {
  /// Splits the output's gradient along an axis. Returns one part for each input.
  fileprivate mutating func split(along axis: Int) throws -> [Graph.ValueID?] {
    guard inputs.count > 1 else { return [outputGradient] }
    let sizes: [Int] = inputs.map { shape(of: $0)[axis] }
    let parts = try add(
      SplitNDOperator(axis: axis, parts: .sizes(sizes)), to: [outputGradient], outputs: sizes.count)
    return parts.map { $0 }
  }

  /// Returns the gradient of the input: the gradients of all outputs, concatenated along an axis.
  fileprivate mutating func join(along axis: Int) throws -> [Graph.ValueID?] {
    let parts = allOutputGradients()
    guard parts.count > 1 else { return [parts[0]] }
    return try add(ConcatNDOperator(axis: axis), to: parts, outputs: 1).map { $0 }
  }
}
