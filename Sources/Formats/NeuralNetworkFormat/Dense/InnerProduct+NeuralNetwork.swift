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
    guard activation == nil else {
      throw EngineError(
        .unsupported, "no layer multiplies by a matrix and applies an activation at once.")
    }
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
  /// A matrix, and a bias of one number for each of its rows where there is one, as the constants of a
  /// layer.
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
  /// The matrix that is the second input, and the bias that is the third where there is one.
  mutating func matrix() throws -> (
    shape: Shape, weights: Spec.WeightParams, bias: Spec.WeightParams?
  ) {
    guard let weights = try weights(1, "weights"), let shape = constants[1]?.shape else {
      throw EngineError(.unsupported, "the matrix is missing.")
    }
    return (shape, weights, try self.weights(2, "biases"))
  }
}
