import Backends
import Graph

/// A layer that folds some axes of its only input.
package protocol ReducingOperator: Layer {
  /// The folding for an input of a shape; throws where the axes do not fit it.
  func reduction(for shape: Shape) throws -> AxisReduction
}

extension ReducingOperator {
  /// The type after folding.
  package func reducedTypes(_ inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape = inputs[0].shape
    return [TensorType(try reduction(for: shape).outputShape(of: shape))]
  }

  /// The definition.
  package func reducedReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try reduction(for: inputs[0].shape).reference(inputs[0])]
  }

  /// The native kernel.
  package var reducingKernels: [KernelCandidate] {
    [
      KernelCandidate("native reduction") { request in
        try reduction(for: request.inputs[0].shape).kernel(for: request)
      }
    ]
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
