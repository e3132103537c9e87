import Graph

// Each operator in this file is a linear function of its input, and the matrix of this function is symmetric. So the
// gradient of the input is the operator applied to the gradient of the output.

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
