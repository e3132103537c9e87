import Graph

/// Inner product: a fully connected layer.
///
///     y = W x + b
///
/// - Input of rank 1 to 3: `[…, Cin]`, multiplied along the last dimension. Of rank 4 and 5:
///   `[…, C, H, W]` with `C · H · W = Cin`, flattened in that order.
/// - Output: `[…, Cout]`, or `[…, Cout, 1, 1]` for rank 4 and 5.
/// - Parameters: `W` of shape `[Cout, Cin]`, `b` of shape `[Cout]`; no bias is 0. In graphs for training
///   they are the inputs behind the first: see ``weights`` and ``takesBiasInput``.
/// - Errors: another number of inputs than `Cin`; rank 0 or above 5.
///
/// Models that ask for dynamic quantisation to 8 bits get their weights widened: exacter than asked.
///
/// **Source:** `InnerProductLayerParams`.
public struct InnerProductOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "InnerProduct", specification: "innerProduct", summary: "W x + b: a fully connected layer")

  /// The number of values that come in.
  public var inputChannels: Int
  /// The number of values that go out.
  public var outputChannels: Int
  /// The matrix, `[outputChannels, inputChannels]`; nil when it is the second input.
  public var weights: Weights?
  /// Shifts, `[outputChannels]`; nil is 0.
  public var bias: Weights?
  /// Whether the last input holds the shifts, `[outputChannels]`.
  public var takesBiasInput = false
  /// Applied to the result; set by passes.
  public var activation: ActivationFunction?

  /// A layer over a matrix of shape `[output channels, input channels]`.
  public init(weights: Weights, bias: Weights? = nil, activation: ActivationFunction? = nil) {
    precondition(weights.shape.rank == 2)
    self.inputChannels = weights.shape[1]
    self.outputChannels = weights.shape[0]
    self.weights = weights
    self.bias = bias
    self.activation = activation
  }

  /// A layer whose matrix is the second input, and whose shifts are the third where it takes them.
  public init(inputChannels: Int, outputChannels: Int, takesBiasInput: Bool) {
    self.inputChannels = inputChannels
    self.outputChannels = outputChannels
    self.takesBiasInput = takesBiasInput
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .innerProduct(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let inputs: Int = try decoder.size(message.inputChannels, "inputChannels")
    let outputs: Int = try decoder.size(message.outputChannels, "outputChannels")
    guard inputs > 0, outputs > 0 else {
      throw decoder.invalid(
        "the matrix is \(outputs) × \(inputs), expected at least one row and one column.")
    }
    let bias: Weights? =
      message.hasBias
      ? try decoder.weights(message.bias, shape: [outputs], field: "bias") : nil
    self.init(
      weights: try decoder.weights(message.weights, shape: [outputs, inputs], field: "weights"),
      bias: bias)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = (weights == nil ? 2 : 1) + (takesBiasInput ? 1 : 0)
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    if weights == nil, inputs[1].shape != [outputChannels, inputChannels] {
      throw EngineError(
        .invalidInput,
        "the matrix is \(inputs[1].shape), expected \(outputChannels) × \(inputChannels).")
    }
    if takesBiasInput, inputs[expected - 1].shape.count != outputChannels {
      throw EngineError(
        .invalidInput,
        "the bias is \(inputs[expected - 1].shape), expected \(outputChannels) numbers.")
    }
    let shape: Shape = inputs[0].shape
    guard (1...5).contains(shape.rank) else {
      throw EngineError(
        .invalidInput, "the input has \(shape.rank) dimensions (\(shape)), expected 1 to 5.")
    }
    let joined: Int = shape.rank >= 4 ? 3 : 1
    let length: Int = shape.dimensions.suffix(joined).reduce(1, *)
    guard length == inputChannels else {
      throw EngineError(
        .invalidInput,
        "the input has \(length) values a sample (\(shape)), expected \(inputChannels).")
    }
    let leading: [Int] = Array(shape.dimensions.dropLast(joined))
    return [
      TensorType(Shape(leading + [outputChannels] + (joined == 3 ? [1, 1] : [])))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let known: [OperatorInput] = inputs.map { OperatorInput(TensorType($0.shape)) }
    guard let type = try outputTypes(for: known)?.first else { return [] }
    let matrix: [Double] = try weights?.doubles() ?? inputs[1].values
    let shifts: [Double]? = takesBiasInput ? inputs.last?.values : try bias?.doubles()
    var result: [Double] = []
    result.reserveCapacity(type.shape.count)
    for start in stride(from: 0, to: inputs[0].values.count, by: inputChannels) {
      for output in 0..<outputChannels {
        var sum: Double = shifts?[output] ?? 0
        for input in 0..<inputChannels {
          sum += matrix[output * inputChannels + input] * inputs[0].values[start + input]
        }
        result.append(sum)
      }
    }
    let product = ReferenceTensor(type.shape, result)
    return [activation.map { $0.reference(product) } ?? product]
  }
}
