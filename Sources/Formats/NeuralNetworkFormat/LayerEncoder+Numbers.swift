import Graph

extension LayerEncoder {
  /// Returns a number as a value of an unsigned field. Throws `unsupported` if the number is negative.
  package func size(_ value: Int, _ field: String) throws -> UInt64 {
    guard let size = UInt64(exactly: value) else {
      throw EngineError(
        .unsupported,
        "\(field) is \(value); a NeuralNetwork layer holds only numbers from 0 up.")
    }
    return size
  }
}
