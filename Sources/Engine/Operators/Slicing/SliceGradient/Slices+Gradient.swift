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
  /// Adds the gradient of the first input. Throws `unsupported` if the index, the second input, is not a constant.
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
  /// Adds the gradient of the first input: the output's gradient with zero padding around it. A pass can fold the
  /// padding into a convolution that reads the gradient.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let cut: EdgeAmounts = try amounts(for: context.inputs.map { context.shape(of: $0) })
    guard !cut.isZero else { return context.onlyFirst(context.outputGradient) }
    return context.onlyFirst(
      try context.add(PaddingOperator(amounts: cut), context.outputGradient))
  }
}

extension GradientContext {
  /// Adds the gradient of the first input, from which the output was sliced.
  fileprivate mutating func unslice(_ slices: [AxisSlice]) throws -> Graph.ValueID {
    let shape: Shape = shape(of: inputs[0])
    guard self.shape(of: output).count > 0 else { return zeros(shape) }
    return try add(SliceGradientOperator(slices: slices, of: shape), outputGradient)
  }
}
