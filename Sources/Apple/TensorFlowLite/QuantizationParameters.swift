/// What the whole numbers of a tensor stand for: `scale · (number − zeroPoint)`.
public struct QuantizationParameters: Equatable, Hashable, Sendable {
  /// The distance between neighbouring real numbers.
  public let scale: Float
  /// The whole number that stands for 0.
  public let zeroPoint: Int

  /// A scale and a zero point.
  public init(scale: Float, zeroPoint: Int) {
    self.scale = scale
    self.zeroPoint = zeroPoint
  }
}
