import Graph

// Masks and permutations that are their own transposes.

extension ReverseOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}

extension ReverseSeqOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    context.onlyFirst(try context.add(self, context.outputGradient, context.inputs[1]))
  }
}

extension LowerTriangularOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}

extension UpperTriangularOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}

extension MatrixBandPartOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(self, context.outputGradient)]
  }
}
