import ModelFormat

extension Spec.NeuralNetworkLayer {
  /// Makes a layer of the given kind for samples and tests. The caller fills in the names.
  public init(_ layer: OneOfLayer, outputs: Int = 1) {
    self.init()
    self.layer = layer
    self.output = (0..<outputs).map { "output\($0)" }
  }
}
