import Graph

extension SliceStaticOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.unslice(slices)]
  }
}

extension SliceOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let rank: Int = context.shape(of: context.inputs[0]).rank
    var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
    slices[rank + axis.rawValue] = AxisSlice(begin: start, end: end, stride: stride)
    return [try context.unslice(slices)]
  }
}

extension SliceBySizeOperator: DifferentiableOperator {
  /// For an index that is known; one that is computed has no rule.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard let index = try context.graph[context.inputs[1]].constant?.tensor().integers.first else {
      throw context.unsupported("A slice from an index that the network computes")
    }
    let shape: Shape = context.shape(of: context.inputs[0])
    let axis: Int = try shape.axis(axis)
    let begin: Int = index < 0 ? index + shape[axis] : index
    var slices = [AxisSlice](repeating: AxisSlice(), count: shape.rank)
    slices[axis] = AxisSlice(begin: begin, end: begin + size)
    return context.onlyFirst(try context.unslice(slices))
  }
}

extension CropOperator: DifferentiableOperator {
  /// Zeros around what was kept, which a convolution in front takes as its padding.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let cut: EdgeAmounts = try amounts(for: context.inputs.map { context.shape(of: $0) })
    guard !cut.isZero else { return context.onlyFirst(context.outputGradient) }
    return context.onlyFirst(
      try context.add(PaddingOperator(amounts: cut), context.outputGradient))
  }
}

extension GradientContext {
  /// The gradient of the first input, of which slices were taken.
  fileprivate mutating func unslice(_ slices: [AxisSlice]) throws -> Graph.ValueID {
    let shape: Shape = shape(of: inputs[0])
    guard self.shape(of: output).count > 0 else { return zeros(shape) }
    return try add(SliceGradientOperator(slices: slices, of: shape), outputGradient)
  }
}
