import Engine

// Masks and permutations that are their own transposes.

extension ReverseLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}

extension ReverseSeqLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    context.onlyFirst(try context.add(self, context.outputGradient, context.inputs[1]))
  }
}

extension LowerTriangularLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}

extension UpperTriangularLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}

extension MatrixBandPartLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}
