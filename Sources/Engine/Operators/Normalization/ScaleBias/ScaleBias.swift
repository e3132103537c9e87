import Graph

/// Scale: multiplies by learned factors and adds learned shifts.
///
///     y = scale · x + bias
///
/// - Inputs: `[…, C, H, W]`, rank three or more; leading dimensions are batch. Then the factors and, if
///   ``hasBias`` is set, the shifts. Each has the shape `[C or 1, H or 1, W or 1]` and is broadcast to `[C, H, W]`.
/// - Output: the first input's shape.
/// - Errors: the factors or the shifts cannot be broadcast to the input.
///
/// **Source:** `ScaleLayerParams`.
public struct ScaleOperator: Operator, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "Scale", summary: "scale · x + bias, parameters for all elements, per channel or per pixel")

  /// Whether the third input holds the shifts.
  public var hasBias: Bool

  /// Creates an operator that multiplies by the second input and, if `hasBias` is true, adds the third.
  public init(hasBias: Bool = false) { self.hasBias = hasBias }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == (hasBias ? 3 : 2) else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(hasBias ? 3 : 2).")
    }
    try inputs[1].shape.requireBroadcasts(to: inputs[0].shape, "scale")
    if hasBias { try inputs[2].shape.requireBroadcasts(to: inputs[0].shape, "bias") }
    return [TensorType(inputs[0].shape)]
  }

  public func affine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    guard constants.count == (hasBias ? 3 : 2), let scale = constants[1]?.perChannel(channels)
    else {
      return nil
    }
    guard hasBias else { return ChannelAffine(scale: scale, shift: .repeating(0, [channels])) }
    return constants[2]?.perChannel(channels).map { ChannelAffine(scale: scale, shift: $0) }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let shifts: ReferenceTensor? = hasBias ? inputs[2] : nil
    return [
      inputs[0].mappedWithIndex { (value: Double, elementIndex: [Int]) -> Double in
        value * inputs[1].stretched(elementIndex) + (shifts?.stretched(elementIndex) ?? 0)
      }
    ]
  }
}

/// Bias: adds learned shifts.
///
///     y = x + bias
///
/// - Inputs: `[…, C, H, W]`, rank three or more; leading dimensions are batch. Then the shifts of shape
///   `[C or 1, H or 1, W or 1]`, which are broadcast to `[C, H, W]`.
/// - Output: the first input's shape.
/// - Errors: the shifts cannot be broadcast to the input.
///
/// **Source:** `BiasLayerParams`.
public struct BiasOperator: Operator, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "Bias", summary: "x + bias, for all elements, per channel or per pixel")

  /// Creates an operator that adds the second input to the first.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    try inputs[1].shape.requireBroadcasts(to: inputs[0].shape, "bias")
    return [TensorType(inputs[0].shape)]
  }

  public func affine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    guard constants.count == 2, let shift = constants[1]?.perChannel(channels) else { return nil }
    return ChannelAffine(scale: .repeating(1, [channels]), shift: shift)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [
      inputs[0].mappedWithIndex { (value: Double, elementIndex: [Int]) -> Double in
        value + inputs[1].stretched(elementIndex)
      }
    ]
  }
}

extension Constant {
  /// Returns the parameter as one value per channel. Nil if the parameter varies by pixel, or if its number of channels
  /// is neither 1 nor `channels`.
  fileprivate func perChannel(_ channels: Int) -> Constant? {
    shape.isPerChannel ? stretched(to: channels) : nil
  }
}

extension Shape {
  /// Whether a parameter of this shape has three dimensions and varies only by channel.
  package var isPerChannel: Bool { rank == 3 && self[1] == 1 && self[2] == 1 }

  /// Throws unless a parameter of this shape has three dimensions and can be broadcast to the last three dimensions of
  /// an input.
  package func requireBroadcasts(to input: Shape, _ field: String) throws {
    let map = try FeatureMap(input)
    let extents: [Int] = [map.channels, map.height, map.width]
    guard rank == 3 else {
      throw EngineError(
        .invalidInput, "the \(field) has the shape \(self), expected three dimensions ([C, H, W]).")
    }
    for axis in 0..<3 where self[axis] != 1 && self[axis] != extents[axis] {
      throw EngineError(
        .invalidInput,
        "the \(field) has the shape \(self), which does not broadcast to the input's last three "
          + "dimensions (\(Shape(extents))).")
    }
  }
}

extension ReferenceTensor {
  /// Returns this tensor with every element replaced by the closure's result. The closure receives the value and the
  /// index of the element.
  package func mappedWithIndex(_ body: (_ value: Double, _ elementIndex: [Int]) -> Double)
    -> ReferenceTensor
  {
    var result: ReferenceTensor = self
    shape.forEachIndex { (index: [Int], position: Int) in
      result.values[position] = body(values[position], index)
    }
    return result
  }

  /// Returns the number that this three-dimensional parameter has for the input's element at `elementIndex`. The
  /// parameter is broadcast to the last three dimensions of the input.
  package func stretched(_ elementIndex: [Int]) -> Double {
    let last: ArraySlice<Int> = elementIndex.suffix(3)
    let index: [Int] = zip(last, shape.dimensions).map { $1 == 1 ? 0 : $0 }
    return self[index]
  }
}
