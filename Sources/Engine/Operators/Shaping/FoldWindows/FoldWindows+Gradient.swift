import Graph

extension FoldWindowsOperator: DifferentiableOperator {
  /// Windows are cut from the gradient; elements in the margin take from a 0 at its end.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard let extents, let kernel else {
      throw EngineError(
        .unsupported, "there is no gradient of windows whose size is computed by the network.")
    }
    let windows: FoldedWindows = try windows(extents, kernel)
    let input: Shape = context.shape(of: context.inputs[0])
    let output: Shape = context.shape(of: context.output)
    let planes = try context.add(
      ReshapeStaticOperator(targetShape: [output[0], output[1], windows.area]),
      context.outputGradient)
    let ended = try context.add(ConstantPadOperator(value: 0, amounts: [0, 0, 0, 0, 0, 1]), planes)
    let places: [Int64] = windows.places.map { Int64($0 ?? windows.area) }
    let indices = context.constant(ReferenceTensor([places.count], wholes: places, .int32))
    let taken = try context.add(GatherOperator(axis: 2), ended, indices)
    return context.onlyFirst(
      try context.add(ReshapeStaticOperator(targetShape: input.dimensions), taken))
  }
}
