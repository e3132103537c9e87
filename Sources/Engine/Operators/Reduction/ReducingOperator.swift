import Graph

/// An operator that folds some axes of its only input.
public protocol ReducingOperator: DifferentiableOperator, WholeNumberOperator {
  /// The folding for an input of a shape; throws where the axes do not fit it.
  func reduction(for shape: Shape) throws -> AxisReduction
}

extension ReducingOperator {
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let type: TensorType = inputs[0].type
    let reduction = try reduction(for: type.shape)
    let element: ElementType = reduction.mode.element(of: type.element)
    return [TensorType(reduction.outputShape(of: type.shape), element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try reduction(for: inputs[0].shape).reference(inputs[0])]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    if let whole = try reduction(for: inputs[0].shape).wholeReference(inputs[0]) { return [whole] }
    return try reference([inputs[0].converted(to: .float64)])
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
