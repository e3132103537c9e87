import Graph

/// An operator that reduces some axes of its only input.
public protocol ReducingOperator: DifferentiableOperator, IntegerOperator {
  /// Returns the reduction for an input of this shape. Throws if the input does not have the axes to reduce.
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

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    if let integer = try reduction(for: inputs[0].shape).integerReference(inputs[0]) {
      return [integer]
    }
    return try reference([inputs[0].converted(to: .float64)])
  }

  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try reduction(for: context.shape(of: context.inputs[0])).gradient(&context)]
  }
}

extension Shape {
  /// Returns the axes as non-negative indices, each once, in ascending order. Negative axes count from the end.
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
