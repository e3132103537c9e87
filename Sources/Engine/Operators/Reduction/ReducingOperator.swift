import Graph

/// An operator that folds some axes of its only input.
public protocol ReducingOperator: DifferentiableOperator {
  /// The folding for an input of a shape; throws where the axes do not fit it.
  func reduction(for shape: Shape) throws -> AxisReduction
}

extension ReducingOperator {
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape = inputs[0].shape
    return [TensorType(try reduction(for: shape).outputShape(of: shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try reduction(for: inputs[0].shape).reference(inputs[0])]
  }

  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try reduction(for: context.shape(of: context.inputs[0])).gradient(&context)]
  }
}

extension Shape {
  /// Axes that may count from the end, resolved, each once, in rising order.
  package func resolvedAxes(_ axes: [Int]) throws -> [Int] {
    let resolved: [Int] = try axes.map { axis in
      guard let index = resolvedAxis(axis) else {
        throw EngineError(
          .invalidInput,
          "the axis \(axis) does not exist in an input of rank \(rank) (\(self)), expected \(-rank) to \(rank - 1)."
        )
      }
      return index
    }
    return Set(resolved).sorted()
  }
}
