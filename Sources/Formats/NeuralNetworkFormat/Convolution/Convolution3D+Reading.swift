import Graph
import ModelFormat
import Operators

extension Convolution3DOperator {
  /// Reads a 3D convolution layer.
  static func decode(_ decoder: LayerDecoder) throws -> DecodedLayer {
    try decoder.requireInputs(1...1)
    guard case .convolution3d(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no 3D convolution.")
    }
    let inputChannels = try decoder.sizes([message.inputChannels], "inputChannels")[0]
    let outputChannels = try decoder.sizes([message.outputChannels], "outputChannels")[0]
    let groups = try decoder.sizes([message.nGroups], "nGroups", default: 1)[0]
    let kernel = try decoder.sizes(
      [message.kernelDepth, message.kernelHeight, message.kernelWidth], "the kernel")
    let stride = try decoder.sizes(
      [message.strideDepth, message.strideHeight, message.strideWidth], "the stride", default: 1)
    let dilation = try decoder.sizes(
      [message.dilationDepth, message.dilationHeight, message.dilationWidth], "the dilation",
      default: 1)
    let padding = try Self.padding(message, decoder)
    guard inputChannels % groups == 0, outputChannels % groups == 0 else {
      throw decoder.invalid(
        "\(inputChannels) input and \(outputChannels) output channels do not divide into "
          + "\(groups) groups.")
    }
    var outputShape: [Int]?
    if message.isDeconvolution && !message.outputShape.isEmpty {
      let shape: [Int] = try message.outputShape.map { try decoder.size($0, "outputShape") }
      guard shape.count == 3 else {
        throw decoder.invalid("outputShape has \(shape.count) sizes, expected 3.")
      }
      outputShape = shape
    }
    let convolution = Convolution3DOperator(
      inputChannels: inputChannels, outputChannels: outputChannels, groups: groups, kernel: kernel,
      stride: stride, dilation: dilation, padding: padding, isTransposed: message.isDeconvolution,
      outputShape: outputShape, hasBias: message.hasBias)
    let weights = try decoder.constant(
      message.weights, shape: convolution.weightShape, channelAxis: message.isDeconvolution ? 1 : 0,
      field: "weights")
    var constants: [(role: String, value: Constant)] = [("weights", weights)]
    if message.hasBias {
      let bias = try decoder.constant(message.bias, shape: [outputChannels], field: "bias")
      constants.append(("bias", bias))
    }
    return DecodedLayer(convolution, constants: constants)
  }

  private static func padding(
    _ message: Spec.Convolution3DLayerParams, _ decoder: LayerDecoder
  ) throws -> Padding {
    switch message.paddingType {
    case .custom:
      return .custom(
        before: try decoder.sizes(
          [message.customPaddingFront, message.customPaddingTop, message.customPaddingLeft],
          "customPadding", least: 0),
        after: try decoder.sizes(
          [message.customPaddingBack, message.customPaddingBottom, message.customPaddingRight],
          "customPadding", least: 0))
    case .valid: return .custom(before: [0, 0, 0], after: [0, 0, 0])
    case .same: return .same
    case .unrecognized(let value):
      throw decoder.invalid(
        "the padding type is \(value), expected 0 (custom), 1 (valid) or 2 (same).")
    }
  }
}

extension Convolution3DOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.Convolution3DLayerParams()
    (message.inputChannels, message.outputChannels) = (Int32(inputChannels), Int32(outputChannels))
    message.nGroups = Int32(groups)
    (message.kernelDepth, message.kernelHeight, message.kernelWidth) = Self.three(kernel)
    (message.strideDepth, message.strideHeight, message.strideWidth) = Self.three(stride)
    (message.dilationDepth, message.dilationHeight, message.dilationWidth) = Self.three(dilation)
    switch padding {
    case .same: message.paddingType = .same
    case .sameLower:
      throw EngineError(
        .unsupported, "no 3D layer puts the odd element of its padding at the start.")
    case .custom(let before, let after):
      message.paddingType = .custom
      (message.customPaddingFront, message.customPaddingTop, message.customPaddingLeft) =
        Self.three(before)
      (message.customPaddingBack, message.customPaddingBottom, message.customPaddingRight) =
        Self.three(after)
    }
    message.isDeconvolution = isTransposed
    message.outputShape = outputShape?.map { UInt64($0) } ?? []
    message.weights = try encoder.weights(
      1, "weights", channelAxis: isTransposed ? 1 : 0)
    message.hasBias = hasBias
    if hasBias { message.bias = try encoder.weights(2, "biases") }
    encoder.layer.layer = .convolution3d(message)
  }

  private static func three(_ values: [Int]) -> (Int32, Int32, Int32) {
    (Int32(values[0]), Int32(values[1]), Int32(values[2]))
  }
}
