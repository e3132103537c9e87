import Graph

/// An operator that, with suitable parameters, computes `y = scale[c] · x + shift[c]`. Passes can then fold the
/// operator into the convolution before it.
public protocol PerChannelAffine: Operator {
  /// Returns the factor and the shift of each channel. Nil if the operator does not compute this formula, if its
  /// parameters are not constants, or if its number of channels differs from `channels`.
  ///
  /// - Parameter constants: one per input of the operator; nil for inputs that are not constants.
  func affine(of constants: [Constant?], channels: Int) -> ChannelAffine?
}

/// A factor and a shift per channel.
public struct ChannelAffine: Sendable {
  /// One factor per channel.
  public let scale: Constant
  /// One shift per channel.
  public let shift: Constant

  /// Creates the function `scale[c] · x + shift[c]`.
  public init(scale: Constant, shift: Constant) {
    self.scale = scale
    self.shift = shift
  }
}
