import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let pooling3D = LayerReader("pooling3d") { (decoder: LayerDecoder) -> Pooling3DOperator in
    try decoder.requireInputs(1...1)
    guard case .pooling3d(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    guard message.type == .max || message.type == .average else {
      throw decoder.invalid(
        "the pooling type is \(message.type.rawValue), expected 0 (max) or 1 (average).")
    }
    let padding: Pooling3DOperator.Padding
    switch message.paddingType {
    case .custom:
      padding = .custom(
        before: try decoder.sizes(
          [message.customPaddingFront, message.customPaddingTop, message.customPaddingLeft],
          "customPadding", least: 0),
        after: try decoder.sizes(
          [message.customPaddingBack, message.customPaddingBottom, message.customPaddingRight],
          "customPadding", least: 0))
    case .valid: padding = .custom(before: [0, 0, 0], after: [0, 0, 0])
    case .same: padding = .same
    case .unrecognized(let value):
      throw decoder.invalid(
        "the padding type is \(value), expected 0 (custom), 1 (valid) or 2 (same).")
    }
    return Pooling3DOperator(
      isMaximum: message.type == .max,
      kernel: try decoder.sizes(
        [message.kernelDepth, message.kernelHeight, message.kernelWidth], "the kernel",
        default: 3),
      stride: try decoder.sizes(
        [message.strideDepth, message.strideHeight, message.strideWidth], "the stride",
        default: 1),
      padding: padding, excludesPadding: message.countExcludePadding)
  }

  static let globalPooling3D = LayerReader("globalPooling3d") {
    (decoder: LayerDecoder) -> GlobalPooling3DOperator in
    try decoder.requireInputs(1...1)
    guard case .globalPooling3d(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    guard message.type == .max || message.type == .average else {
      throw decoder.invalid(
        "the pooling type is \(message.type.rawValue), expected 0 (max) or 1 (average).")
    }
    return GlobalPooling3DOperator(isMaximum: message.type == .max)
  }
}

extension Pooling3DOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    guard padding != .sameLower else {
      throw EngineError(
        .unsupported, "no 3D layer puts the odd element of its padding at the start.")
    }
    let (kernel, stride) = (kernel.map { Int32(clamping: $0) }, stride.map { Int32(clamping: $0) })
    encoder.layer.layer = .pooling3d(
      .making {
        $0.type = isMaximum ? .max : .average
        ($0.kernelDepth, $0.kernelHeight, $0.kernelWidth) = (kernel[0], kernel[1], kernel[2])
        ($0.strideDepth, $0.strideHeight, $0.strideWidth) = (stride[0], stride[1], stride[2])
        $0.countExcludePadding = excludesPadding
        guard case .custom(let start, let end) = padding else {
          $0.paddingType = .same
          return
        }
        let (before, after) = (start.map { Int32(clamping: $0) }, end.map { Int32(clamping: $0) })
        $0.paddingType = .custom
        ($0.customPaddingFront, $0.customPaddingBack) = (before[0], after[0])
        ($0.customPaddingTop, $0.customPaddingBottom) = (before[1], after[1])
        ($0.customPaddingLeft, $0.customPaddingRight) = (before[2], after[2])
      })
  }
}

extension GlobalPooling3DOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .globalPooling3d(.making { $0.type = isMaximum ? .max : .average })
  }
}
