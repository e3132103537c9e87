import Graph

/// What a product of bytes does with its sums: `y = activation(factor · (Σ + bias))`, with a factor and a bias per
/// channel, and then, where codes are asked for, `min(max(round(y · scale), least), greatest) − least`.
public struct ByteEpilogue: Sendable, Equatable {
  /// Codes that a byte holds, counted from the least one.
  public struct Codes: Sendable, Equatable {
    /// How many codes are one: 1 divided by the step between them.
    public var scale: Float
    /// The range of the codes; no more than 256 numbers.
    public var least: Int, greatest: Int

    /// Codes of a range.
    public init(scale: Float, least: Int, greatest: Int) {
      precondition((0...255).contains(greatest - least), "codes of \(least) to \(greatest)")
      (self.scale, self.least, self.greatest) = (scale, least, greatest)
    }
  }

  /// Applied to the real number.
  public var activation: ActivationFunction?
  /// The largest result after a ReLU.
  public var ceiling: Float?
  /// The codes that come out; nil for real numbers.
  public var codes: Codes?

  /// An epilogue; it changes nothing unless told otherwise.
  public init(
    activation: ActivationFunction? = nil, ceiling: Float? = nil, codes: Codes? = nil
  ) {
    (self.activation, self.ceiling, self.codes) = (activation, ceiling, codes)
  }

  /// The definition for one real number.
  package func callAsFunction(_ real: Double) -> Double {
    var value: Double = activation.map { $0(real) } ?? real
    if let ceiling { value = value > Double(ceiling) ? Double(ceiling) : value }
    guard let codes else { return value }
    let whole: Double = (value * Double(codes.scale)).rounded(.toNearestOrEven)
    // NaN becomes the least code.
    let kept: Double =
      whole > Double(codes.least) ? min(whole, Double(codes.greatest)) : Double(codes.least)
    return kept - Double(codes.least)
  }
}

extension ReferenceTensor {
  /// The elements as bytes hold them, less a zero point.
  package func bytes(less zero: Int) -> ReferenceTensor {
    let byte = ByteOperator(from: 0)
    return ReferenceTensor(shape, values.map { byte.evaluate([$0]) - Double(zero) })
  }
}

extension OperatorInput {
  /// Throws unless the inputs after the weights are a factor and a bias a channel.
  package static func requireFactors(_ inputs: [OperatorInput], channels: Int) throws {
    guard inputs.count == 4 else {
      throw EngineError(
        .invalidModel,
        "the layer has \(inputs.count) inputs, expected bytes, weights, factors and a bias.")
    }
    for input in inputs[2...] where input.shape.count != channels {
      throw EngineError(
        .invalidInput,
        "the factors or biases are \(input.shape), expected \(channels) numbers.")
    }
  }
}
