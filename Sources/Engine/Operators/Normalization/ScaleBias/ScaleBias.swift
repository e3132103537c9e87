import Graph

/// Scale: multiplies by learned factors and adds learned shifts.
///
///     y = scale · x + bias
///
/// - Inputs: `[…, C, H, W]`, rank three or more; leading dimensions are batch. Factors and, with
///   ``hasBias``, shifts, each of shape `[C or 1, H or 1, W or 1]`, stretched to `[C, H, W]`.
/// - Output: the first input's shape.
/// - Errors: parameters that do not stretch to the input.
///
/// **Source:** `ScaleLayerParams`.
public struct ScaleOperator: Operator, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "Scale", summary: "scale · x + bias, a number, a channel or a pixel")

  /// Whether there are shifts, the third input.
  public var hasBias: Bool

  /// A multiplication by the second input, and an addition of the third where there is one.
  public init(hasBias: Bool = false) { self.hasBias = hasBias }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == (hasBias ? 3 : 2) else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(hasBias ? 3 : 2).")
    }
    try inputs[1].shape.requireStretches(to: inputs[0].shape, "scale")
    if hasBias { try inputs[2].shape.requireStretches(to: inputs[0].shape, "bias") }
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
      inputs[0].mappedWithPlace { (value: Double, place: [Int]) -> Double in
        value * inputs[1].stretched(place) + (shifts?.stretched(place) ?? 0)
      }
    ]
  }
}

/// Bias: adds learned shifts.
///
///     y = x + bias
///
/// - Inputs: `[…, C, H, W]`, rank three or more; leading dimensions are batch. Shifts of shape
///   `[C or 1, H or 1, W or 1]`, stretched to `[C, H, W]`.
/// - Output: the first input's shape.
/// - Errors: a bias that does not stretch to the input.
///
/// **Source:** `BiasLayerParams`.
public struct BiasOperator: Operator, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "Bias", summary: "x + bias, a number, a channel or a pixel")

  /// An addition of the second input.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    try inputs[1].shape.requireStretches(to: inputs[0].shape, "bias")
    return [TensorType(inputs[0].shape)]
  }

  public func affine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    guard constants.count == 2, let shift = constants[1]?.perChannel(channels) else { return nil }
    return ChannelAffine(scale: .repeating(1, [channels]), shift: shift)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [
      inputs[0].mappedWithPlace { (value: Double, place: [Int]) -> Double in
        value + inputs[1].stretched(place)
      }
    ]
  }
}

extension Constant {
  /// One value a channel; nil where a parameter of three dimensions varies by pixel or has other channels.
  fileprivate func perChannel(_ channels: Int) -> Constant? {
    shape.isPerChannel ? stretched(to: channels) : nil
  }
}

extension Shape {
  /// Whether a parameter of three dimensions varies at most by channel.
  package var isPerChannel: Bool { rank == 3 && self[1] == 1 && self[2] == 1 }

  /// Checks that a parameter of three dimensions stretches to the last three of an input.
  package func requireStretches(to input: Shape, _ field: String) throws {
    let map = try FeatureMap(input)
    let extents: [Int] = [map.channels, map.height, map.width]
    guard rank == 3 else {
      throw EngineError(
        .invalidInput, "the \(field) has the shape \(self), expected three dimensions ([C, H, W]).")
    }
    for axis in 0..<3 where self[axis] != 1 && self[axis] != extents[axis] {
      throw EngineError(
        .invalidInput,
        "the \(field) has the shape \(self), which does not stretch to the input's last three "
          + "dimensions (\(Shape(extents))).")
    }
  }
}

extension ReferenceTensor {
  /// Maps every element by its value and its index.
  package func mappedWithPlace(_ body: (_ value: Double, _ place: [Int]) -> Double)
    -> ReferenceTensor
  {
    var result: ReferenceTensor = self
    shape.forEachIndex { (index: [Int], position: Int) in
      result.values[position] = body(values[position], index)
    }
    return result
  }

  /// The element of a three-dimensional parameter for the last three indices of a place.
  package func stretched(_ place: [Int]) -> Double {
    let last: ArraySlice<Int> = place.suffix(3)
    let index: [Int] = zip(last, shape.dimensions).map { $1 == 1 ? 0 : $0 }
    return self[index]
  }
}
