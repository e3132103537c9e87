import Graph

extension ActivationFunction {
  /// Applies the activation function to every element in `Double`.
  package func reference(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(input.shape, input.values.map { self($0) })
  }
}
