import Graph
import ModelFormat

extension LayerDecoder {
  /// Returns weights as a constant of the given shape. Checks the number of weights at once, but decodes the weights
  /// only on first use. Quantised weights stay quantised. Their scales belong to the axis `channelAxis`.
  package func constant(
    _ message: Spec.WeightParams?, shape: Shape, channelAxis: Int = 0, field: String
  ) throws -> Constant {
    guard let message else {
      throw invalid("\(field) is missing, expected \(shape.count) values (\(shape)).")
    }
    let name = "Layer '\(name)': \(field)"
    try message.checkCount(shape.count, shape: shape.dimensions, name: name)
    if message.isPlainFloat16 {
      return Constant(TensorType(shape), StoredValues(message.float16Value, of: .float16))
    }
    if let quantized = try message.quantizedConstant(shape, channelAxis: channelAxis) {
      return quantized
    }
    return Constant(TensorType(shape)) {
      try message.decodedFloats(
        count: shape.count, name: name, shape: shape.dimensions,
        outputChannels: shape.rank > channelAxis ? shape[channelAxis] : nil,
        channelStride: shape.dimensions.dropFirst(channelAxis + 1).product)
    }
  }
}

extension Spec.WeightParams {
  /// Whether the message has `float16` values and no values in another form.
  fileprivate var isPlainFloat16: Bool {
    !float16Value.isEmpty && floatValue.isEmpty && rawValue.isEmpty && int8RawValue.isEmpty
  }
}
