import Graph

extension ReorganizeDataOperator: DifferentiableOperator {
  /// Adds the gradient of the input: applies the inverse reorganisation to the output's gradient.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let back = ReorganizeDataOperator(
      mode: mode.inverse, blockHeight: blockHeight, blockWidth: blockWidth)
    return [try context.add(back, context.outputGradient)]
  }
}

extension ReorganizeDataOperator.Mode {
  /// The inverse mode.
  fileprivate var inverse: Self {
    switch self {
    case .spaceToDepth: return .depthToSpace
    case .depthToSpace: return .spaceToDepth
    case .pixelShuffle: return .pixelUnshuffle
    case .pixelUnshuffle: return .pixelShuffle
    }
  }
}
