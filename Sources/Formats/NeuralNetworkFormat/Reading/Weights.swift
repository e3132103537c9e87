import Graph
import ModelFormat

/// The weights of a layer: still in the model file, or computed by a pass.
///
/// The file's bytes stay mapped; ``floats()`` decodes them (float16, quantised, or plain) when a
/// kernel packs them, and nothing is kept.
public struct Weights: Sendable {
  /// The extents, outermost first, in the specification's order.
  public let shape: Shape
  private let source: Source

  private enum Source: Sendable {
    case file(Spec.WeightParams, channelAxis: Int, name: String)
    case values([Float])
  }

  /// Weights in a file; throws when their number is not that of the shape. `channelAxis` is the
  /// dimension that quantisation scales go by.
  public init(
    _ message: Spec.WeightParams, shape: Shape, channelAxis: Int, name: String
  ) throws {
    self.shape = shape
    self.source = .file(message, channelAxis: channelAxis, name: name)
    try message.checkCount(shape.count, shape: shape.dimensions, name: name)
  }

  /// Weights computed by a pass or a test, row-major.
  public init(_ shape: Shape, _ values: [Float]) {
    precondition(values.count == shape.count, "\(values.count) weights for the shape \(shape)")
    self.shape = shape
    self.source = .values(values)
  }

  /// The number of values.
  public var count: Int { shape.count }

  /// The values, row-major.
  public func floats() throws -> [Float] {
    switch source {
    case .values(let values):
      return values
    case .file(let message, let channelAxis, let name):
      return try message.decodedFloats(
        count: shape.count, name: name, shape: shape.dimensions,
        outputChannels: shape.rank > channelAxis ? shape[channelAxis] : nil,
        channelStride: shape.dimensions.dropFirst(channelAxis + 1).reduce(1, *))
    }
  }

  /// The values as `Double`, for reference kernels.
  public func doubles() throws -> [Double] { try floats().map(Double.init) }
}
