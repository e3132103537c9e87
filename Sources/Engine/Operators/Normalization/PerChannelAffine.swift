import Graph

/// An operator that may be no more than `y = scale[c] · x + shift[c]`, so that passes can fold it into
/// the convolution before it.
public protocol PerChannelAffine: Operator {
  /// The form with one factor and one shift a channel; nil when there is none, when parameters are no
  /// constants, or for another number of channels.
  ///
  /// - Parameter constants: one an input of the operator; nil for those that are no constants.
  func affine(of constants: [Constant?], channels: Int) -> ChannelAffine?
}

/// A factor and a shift for every channel.
public struct ChannelAffine: Sendable {
  /// One factor a channel.
  public let scale: Constant
  /// One shift a channel.
  public let shift: Constant

  /// `scale · x + shift`
  public init(scale: Constant, shift: Constant) {
    self.scale = scale
    self.shift = shift
  }
}
