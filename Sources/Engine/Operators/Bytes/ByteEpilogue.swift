import Graph

/// The last steps of a matrix product or convolution of bytes. From each integer sum Σ, the operator computes
/// `y = min(activation(factor · (Σ + bias)), ceiling)`, with a factor and a bias per channel. If the result is
/// quantised, the operator returns `min(max(round(y · scale), least), greatest) − least`, otherwise `y`.
public struct ByteEpilogue: Sendable, Equatable {
  /// The quantisation of a result to at most 256 integers. Each of these integers is stored as a byte, after ``least``
  /// is subtracted.
  public struct Quantization: Sendable, Equatable {
    /// The number of quantisation steps per unit: 1 divided by the step size.
    public var scale: Float
    /// The smallest and the greatest quantised value. Their difference is at most 255.
    public var least: Int, greatest: Int

    /// Creates a quantisation to the integers from `least` to `greatest`, both included.
    public init(scale: Float, least: Int, greatest: Int) {
      precondition(
        (0...255).contains(greatest - least),
        "the range from \(least) to \(greatest) has more than 256 integers")
      (self.scale, self.least, self.greatest) = (scale, least, greatest)
    }
  }

  /// The activation function, which is applied before the quantisation; nil for none.
  public var activation: ActivationFunction?
  /// The upper bound of a ReLU, for example 6 for ReLU6; nil for no bound.
  public var ceiling: Float?
  /// The quantisation of the result; nil if the result is a real number.
  public var quantization: Quantization?

  /// Creates an epilogue. With the default arguments the epilogue returns its input.
  public init(
    activation: ActivationFunction? = nil, ceiling: Float? = nil, quantization: Quantization? = nil
  ) {
    (self.activation, self.ceiling, self.quantization) = (activation, ceiling, quantization)
  }

  /// Applies the activation, the upper bound and the quantisation to one real number.
  package func callAsFunction(_ real: Double) -> Double {
    var value: Double = activation.map { $0(real) } ?? real
    if let ceiling { value = value > Double(ceiling) ? Double(ceiling) : value }
    guard let quantization else { return value }
    let integer: Double = (value * Double(quantization.scale)).rounded(.toNearestOrEven)
    // NaN becomes the smallest quantised value.
    let clipped: Double =
      integer > Double(quantization.least)
      ? min(integer, Double(quantization.greatest)) : Double(quantization.least)
    return clipped - Double(quantization.least)
  }
}

extension ReferenceTensor {
  /// Rounds the elements to integers, clips the integers to 0…255 and then subtracts the zero point.
  package func bytes(less zero: Int) -> ReferenceTensor {
    let byte = ByteOperator(from: 0)
    return ReferenceTensor(shape, values.map { byte.evaluate([$0]) - Double(zero) })
  }
}

extension OperatorInput {
  /// Throws unless the two inputs after the weights are the factors and the biases, one of each per channel.
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
