import ModelFormat

extension Spec.NeuralNetworkLayer {
  /// A layer of the given kind, for samples and tests; names are filled in by the sample.
  public init(_ layer: OneOfLayer, outputs: Int = 1) {
    self.init()
    self.layer = layer
    self.output = (0..<outputs).map { "output\($0)" }
  }
}
