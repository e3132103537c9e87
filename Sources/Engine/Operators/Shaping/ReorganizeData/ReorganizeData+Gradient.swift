import Graph

extension ReorganizeDataOperator: DifferentiableOperator {
  /// Moves everything back.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let gradient = context.outputGradient
    switch mode {
    case .spaceToDepth:
      let back = ReorganizeDataOperator(mode: .depthToSpace, blockSize: blockSize)
      return [try context.add(back, gradient)]
    case .depthToSpace:
      let back = ReorganizeDataOperator(mode: .spaceToDepth, blockSize: blockSize)
      return [try context.add(back, gradient)]
    case .pixelShuffle:
      let input: Shape = context.shape(of: context.inputs[0])
      let map = FeatureMap(ofRankThreeOrMore: input)
      let channels: Int = map.channels / (blockSize * blockSize)
      let spread = try context.reshape(
        gradient, to: [map.batch * channels, map.height, blockSize, map.width, blockSize])
      let sorted = try context.add(TransposeOperator(axes: [0, 2, 4, 1, 3]), spread)
      return [try context.reshape(sorted, to: input)]
    }
  }
}
