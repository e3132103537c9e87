import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let innerProduct = LayerReader("innerProduct", InnerProductOperator.self) { decoder in
    try decoder.requireInputs(1...1)
    guard case .innerProduct(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let inputs: Int = try decoder.size(message.inputChannels, "inputChannels")
    let outputs: Int = try decoder.size(message.outputChannels, "outputChannels")
    guard inputs > 0, outputs > 0 else {
      throw decoder.invalid(
        "the matrix is \(outputs) × \(inputs), expected at least one row and one column.")
    }
    return DecodedLayer(
      InnerProductOperator(),
      constants: try decoder.matrix(
        message.weights, [outputs, inputs], bias: message.hasBias ? .some(message.bias) : .none))
  }
}

extension InnerProductOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let matrix = try encoder.matrix()
    encoder.layer.layer = .innerProduct(
      .making {
        $0.inputChannels = UInt64(matrix.shape[1])
        $0.outputChannels = UInt64(matrix.shape[0])
        $0.weights = matrix.weights
        $0.hasBias = matrix.bias != nil
        $0.bias = matrix.bias
      })
  }
}

extension LayerDecoder {
  /// Returns a layer's matrix as a constant. If the layer has a bias, also returns the bias, a vector with one number
  /// per row of the matrix.
  func matrix(_ weights: Spec.WeightParams?, _ shape: Shape, bias: Spec.WeightParams??) throws
    -> [(role: String, value: Constant)]
  {
    let matrix = try constant(weights, shape: shape, field: "weights")
    guard case .some(let message) = bias else { return [("weights", matrix)] }
    return [
      ("weights", matrix), ("bias", try constant(message, shape: [shape[0]], field: "bias")),
    ]
  }
}

extension LayerEncoder {
  /// Returns the matrix and the bias. The matrix is the operator's second input. The bias is the third input, if there
  /// is one.
  mutating func matrix() throws -> (
    shape: Shape, weights: Spec.WeightParams, bias: Spec.WeightParams?
  ) {
    guard let weights = try weights(1, "weights"), let shape = constants[1]?.shape else {
      throw EngineError(.unsupported, "the matrix is missing.")
    }
    return (shape, weights, try self.weights(2, "biases"))
  }
}
