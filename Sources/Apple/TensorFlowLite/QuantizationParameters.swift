/// The quantisation of a tensor: the real value of a quantised value is `scale · (value − zeroPoint)`.
public struct QuantizationParameters: Equatable, Hashable, Sendable {
  /// The scale.
  public let scale: Float
  /// The quantised value of the real number 0.
  public let zeroPoint: Int

  /// Makes parameters from a scale and a zero point.
  public init(scale: Float, zeroPoint: Int) {
    self.scale = scale
    self.zeroPoint = zeroPoint
  }
}
