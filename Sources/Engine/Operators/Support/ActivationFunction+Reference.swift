import Graph

extension ActivationFunction {
  /// The definition applied to every element.
  package func reference(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(input.shape, input.values.map { self($0) })
  }
}
