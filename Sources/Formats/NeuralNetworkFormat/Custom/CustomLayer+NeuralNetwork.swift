import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// Layers that the caller of this library implements.
  package static let custom: [LayerReader] = [LayerReader("custom", CustomLayer.init(decoding:))]
}

extension CustomLayer: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .custom(let message)? = decoder.message.layer else { throw decoder.notA("custom") }
    let parameters = try message.parameters.read(by: decoder)
    let messages: [Spec.WeightParams] = message.weights
    let weights: @Sendable () -> [[UInt8]] = { messages.map(\.storedBytes) }
    let request = CustomLayerRequest(
      layerName: decoder.name, className: message.className, parameters: parameters,
      weights: weights)
    self.init(
      className: message.className, outputCount: decoder.outputCount,
      implementation: try Self.wrapping(message.className) {
        try decoder.network.makeCustomLayer(request)
      }, parameters: parameters, weights: weights,
      summary: message.description)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .custom(
      .making {
        $0.className = className
        $0.description = summary
        $0.parameters = parameters.mapValues(\.message)
        $0.weights = weights().map { bytes in .making { $0.rawValue = ByteValues(bytes) } }
      })
  }
}

extension [String: Spec.CustomLayerParams.CustomLayerParamValue] {
  /// Returns the parameters that the initialiser of the custom layer's class gets.
  fileprivate func read(by decoder: LayerDecoder) throws -> [String: CustomLayerParameter] {
    var parameters: [String: CustomLayerParameter] = [:]
    for (name, parameter) in self {
      switch parameter.value {
      case .doubleValue(let value)?: parameters[name] = .double(value)
      case .stringValue(let value)?: parameters[name] = .string(value)
      case .intValue(let value)?: parameters[name] = .integer(value)
      case .longValue(let value)?: parameters[name] = .long(value)
      case .boolValue(let value)?: parameters[name] = .bool(value)
      case nil: throw decoder.invalid("the parameter '\(name)' has no value.")
      }
    }
    return parameters
  }
}

extension CustomLayerParameter {
  /// The parameter as a message.
  fileprivate var message: Spec.CustomLayerParams.CustomLayerParamValue {
    .making {
      switch self {
      case .double(let value): $0.value = .doubleValue(value)
      case .string(let value): $0.value = .stringValue(value)
      case .integer(let value): $0.value = .intValue(value)
      case .long(let value): $0.value = .longValue(value)
      case .bool(let value): $0.value = .boolValue(value)
      }
    }
  }
}

extension Spec.WeightParams {
  /// The bytes of the weights, little-endian. The message stores the weights in one of several fields.
  fileprivate var storedBytes: [UInt8] {
    if !floatValue.isEmpty {
      return floatValue.array().flatMap { (value: Float) -> [UInt8] in
        withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
      }
    }
    if !float16Value.isEmpty { return float16Value.array() }
    if !int8RawValue.isEmpty { return int8RawValue.array() }
    return rawValue.array()
  }
}
