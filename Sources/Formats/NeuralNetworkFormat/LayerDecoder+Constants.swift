import Graph
import ModelFormat

extension LayerDecoder {
  /// Weights of the given shape as a constant; their number is checked now, their values are decoded when
  /// somebody asks. `channelAxis` is the dimension that quantisation scales go by.
  package func constant(
    _ message: Spec.WeightParams?, shape: Shape, channelAxis: Int = 0, field: String
  ) throws -> Constant {
    let weights = try weights(message, shape: shape, channelAxis: channelAxis, field: field)
    return Constant(TensorType(shape)) { try weights.floats() }
  }
}
