import Graph

extension FoldWindowsOperator: DifferentiableOperator {
  /// Adds the gradient of the input: the windows, cut out of the output's gradient. Each plane of the output's gradient
  /// is extended by one 0. Window elements that lie in the padding read this 0.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard let extents, let kernel else {
      throw EngineError(
        .unsupported, "there is no gradient if the network computes the size of the windows.")
    }
    let windows: FoldedWindows = try windows(extents, kernel)
    let input: Shape = context.shape(of: context.inputs[0])
    let output: Shape = context.shape(of: context.output)
    let planes = try context.add(
      ReshapeStaticOperator(targetShape: [output[0], output[1], windows.area]),
      context.outputGradient)
    let extended = try context.add(
      ConstantPadOperator(value: 0, amounts: [0, 0, 0, 0, 0, 1]), planes)
    let offsets: [Int64] = windows.offsets.map { Int64($0 ?? windows.area) }
    let indices = context.constant(ReferenceTensor([offsets.count], integerValues: offsets, .int32))
    let taken = try context.add(GatherOperator(axis: 2), extended, indices)
    return context.onlyFirst(
      try context.add(ReshapeStaticOperator(targetShape: input.dimensions), taken))
  }
}
