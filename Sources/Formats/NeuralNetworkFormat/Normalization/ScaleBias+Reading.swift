import Graph
import ModelFormat
import Operators

extension ScaleOperator {
  /// Reads a scale layer.
  static func decode(_ decoder: LayerDecoder) throws -> DecodedLayer {
    try decoder.requireInputs(1...1)
    guard case .scale(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no scale.")
    }
    var constants: [(role: String, value: Constant)] = [
      (
        "scale",
        try decoder.constant(
          message.scale, shape: try decoder.parameterShape(message.shapeScale, "shapeScale"),
          field: "scale")
      )
    ]
    if message.hasBias {
      let bias = try decoder.constant(
        message.bias, shape: try decoder.parameterShape(message.shapeBias, "shapeBias"),
        field: "bias")
      constants.append(("bias", bias))
    }
    return DecodedLayer(ScaleOperator(hasBias: message.hasBias), constants: constants)
  }
}

extension ScaleOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.ScaleLayerParams()
    message.shapeScale = try encoder.parameterShape(1, "factors")
    message.scale = try encoder.weights(1, "factors")
    message.hasBias = hasBias
    if hasBias {
      message.shapeBias = try encoder.parameterShape(2, "shifts")
      message.bias = try encoder.weights(2, "shifts")
    }
    encoder.layer.layer = .scale(message)
  }
}

extension BiasOperator {
  /// Reads a bias layer.
  static func decode(_ decoder: LayerDecoder) throws -> DecodedLayer {
    try decoder.requireInputs(1...1)
    guard case .bias(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no bias.")
    }
    let shifts = try decoder.constant(
      message.bias, shape: try decoder.parameterShape(message.shape, "shape"), field: "bias")
    return DecodedLayer(BiasOperator(), constants: [("bias", shifts)])
  }
}

extension BiasOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.BiasLayerParams()
    message.shape = try encoder.parameterShape(1, "shifts")
    message.bias = try encoder.weights(1, "shifts")
    encoder.layer.layer = .bias(message)
  }
}

extension LayerDecoder {
  /// Returns the shape of a parameter as three extents `[C, H, W]`. The file states `[1]`, `[C]`, `[1, H, W]` or `[C,
  /// H, W]`.
  fileprivate func parameterShape(_ values: [UInt64], _ field: String) throws -> Shape {
    let sizes: [Int] = try values.map { try size($0, field) }
    switch sizes.count {
    case 1: return [sizes[0], 1, 1]
    case 3: return Shape(sizes)
    default:
      throw invalid("\(field) has \(sizes.count) dimensions, expected 1 ([C]) or 3 ([C, H, W]).")
    }
  }
}

extension LayerEncoder {
  /// Returns the shape of the constant parameter at index `input` of the operator's inputs.
  fileprivate mutating func parameterShape(_ input: Int, _ role: String) throws -> [UInt64] {
    guard let constant = constants[input] else {
      _ = try weights(input, role)
      return []
    }
    return constant.shape.dimensions.map { UInt64($0) }
  }
}
