import Graph
import ModelFormat
import Operators

extension LayerReader {
  /// Reads a constant of rank five, `[1, 1, C, H, W]`. **Source:** `LoadConstantLayerParams`.
  static let loadConstant = LayerReader(
    "loadConstant", ConstantOperator.self,
    declaration: OperatorDeclaration("LoadConstant", summary: "makes a constant of rank five")
  ) { decoder in
    guard case .loadConstant(let message)? = decoder.message.layer else {
      throw decoder.notA("loadConstant")
    }
    try decoder.requireInputs(0...0)
    let sizes: [Int] = try decoder.sizes(message.shape, "shape")
    guard sizes.count == 3 else {
      throw decoder.invalid("shape holds \(sizes.count) sizes, expected 3 (C, H, W).")
    }
    let constant = try decoder.loaded(message.data, shape: try Shape.checked(sizes))
    return .constant(constant.reshaped(to: Shape([1, 1] + sizes)))
  }

  /// Reads a constant of any rank. **Source:** `LoadConstantNDLayerParams`.
  static let loadConstantND = LayerReader(
    "loadConstantND", ConstantOperator.self,
    declaration: OperatorDeclaration("LoadConstantND", summary: "makes a constant of any rank")
  ) { decoder in
    guard case .loadConstantND(let message)? = decoder.message.layer else {
      throw decoder.notA("loadConstantND")
    }
    try decoder.requireInputs(0...0)
    let shape: Shape = try Shape.checked(try decoder.sizes(message.shape, "shape"))
    return .constant(try decoder.loaded(message.data, shape: shape))
  }
}

extension LayerDecoder {
  /// Returns the values of a constant layer, which must have one output.
  fileprivate func loaded(_ data: Spec.WeightParams?, shape: Shape) throws -> Constant {
    guard outputCount == 1 else {
      throw invalid("the layer makes 1 output, but the model names \(outputCount).")
    }
    return try constant(data, shape: shape, field: "data")
  }
}

extension DecodedLayer {
  /// Makes the decoded form of a layer that outputs a constant.
  fileprivate static func constant(_ constant: Constant) -> DecodedLayer {
    DecodedLayer(ConstantOperator(), constants: [("data", constant)], isConstant: true)
  }
}

extension ConstantOperator: NeuralNetworkEncodable {
  /// Writes a layer that outputs this constant. The constant may have any rank.
  public func encode(into encoder: inout LayerEncoder) throws {
    let data: Spec.WeightParams? = try encoder.weights(0, "values")
    let shape: Shape = encoder.constants.first??.shape ?? []
    encoder.layer.layer = .loadConstantND(
      .making {
        $0.shape = shape.dimensions.sizes
        $0.data = data
      })
  }
}
