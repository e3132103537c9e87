import Graph

/// A layer that may be no more than `y = scale[c] · x + shift[c]`, so that passes can fold it into
/// the convolution before or after it.
public protocol PerChannelAffine: Layer {
  /// The layer's per-channel form, or nil when it has none. Each array holds one value a channel,
  /// or a single one that is the same for all channels.
  func affine() throws -> (scale: [Float], shift: [Float])?
}

extension PerChannelAffine {
  /// The per-channel form with exactly one value a channel, or nil when there is none or the
  /// layer's parameters are for another number of channels.
  public func affine(channels: Int) throws -> (scale: [Float], shift: [Float])? {
    guard let form = try affine() else { return nil }
    var (scale, shift) = form
    if scale.count == 1 { scale = [Float](repeating: scale[0], count: channels) }
    if shift.count == 1 { shift = [Float](repeating: shift[0], count: channels) }
    guard scale.count == channels, shift.count == channels else { return nil }
    return (scale, shift)
  }
}
