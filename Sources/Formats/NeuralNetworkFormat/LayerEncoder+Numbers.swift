import Graph

extension LayerEncoder {
  /// A number that the format holds without a sign; throws `unsupported` for a negative one.
  package func size(_ value: Int, _ field: String) throws -> UInt64 {
    guard let size = UInt64(exactly: value) else {
      throw EngineError(
        .unsupported,
        "\(field) is \(value); a NeuralNetwork layer holds only 0 or more.")
    }
    return size
  }
}
