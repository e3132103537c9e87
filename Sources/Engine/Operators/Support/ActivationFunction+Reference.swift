import Graph

extension ActivationFunction {
  /// The definition applied to every element; channels are those of axis −3.
  package func reference(_ input: ReferenceTensor) -> ReferenceTensor {
    var result: ReferenceTensor = input
    let inner: Int = input.shape.dimensions.suffix(2).reduce(1, *)
    let channels: Int = input.shape.rank >= 3 ? input.shape[-3] : 1
    for position in result.values.indices {
      result.values[position] = self(
        input.values[position], channel: position / inner % channels)
    }
    return result
  }
}
