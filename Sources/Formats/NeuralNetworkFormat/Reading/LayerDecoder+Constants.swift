import Graph
import ModelFormat

extension LayerDecoder {
  /// Weights of the given shape as a constant; their number is checked now, their values are decoded when
  /// somebody asks, and quantised ones stay so. `channelAxis` is the dimension that quantisation scales go by.
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
    if let codes = try message.codes(shape, channelAxis: channelAxis) { return codes }
    return Constant(TensorType(shape)) {
      try message.decodedFloats(
        count: shape.count, name: name, shape: shape.dimensions,
        outputChannels: shape.rank > channelAxis ? shape[channelAxis] : nil,
        channelStride: shape.dimensions.dropFirst(channelAxis + 1).product)
    }
  }
}

extension Spec.WeightParams {
  /// Whether the values are `float16` and nothing else.
  fileprivate var isPlainFloat16: Bool {
    !float16Value.isEmpty && floatValue.isEmpty && rawValue.isEmpty && int8RawValue.isEmpty
  }
}
