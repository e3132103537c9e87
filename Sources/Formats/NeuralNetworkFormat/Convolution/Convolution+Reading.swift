import Graph
import ModelFormat
import Operators

extension ConvolutionOperator {
  /// Reads a convolution layer. The weights and the bias are the layer's second and third inputs, if the layer has
  /// these inputs. Otherwise the layer's message holds the weights and the bias.
  static func decode(_ decoder: LayerDecoder) throws -> DecodedLayer {
    guard case .convolution(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no convolution.")
    }
    try decoder.requireInputs(1...3)
    let outputChannels = try decoder.size(message.outputChannels, "outputChannels")
    let kernelChannels = try decoder.size(message.kernelChannels, "kernelChannels")
    let groups = max(1, try decoder.size(message.nGroups, "nGroups"))
    guard outputChannels > 0, kernelChannels > 0, outputChannels % groups == 0,
      !message.isDeconvolution || kernelChannels % groups == 0
    else {
      throw decoder.invalid(
        "\(outputChannels) output and \(kernelChannels) kernel channels cannot be split into \(groups) groups."
      )
    }
    let convolution = ConvolutionOperator(
      outputChannels: outputChannels, kernelChannels: kernelChannels, groups: groups,
      kernel: try Self.pair(message.kernelSize, default: 3, "kernelSize", decoder),
      stride: try Self.pair(message.stride, default: 1, "stride", decoder),
      dilation: try Self.pair(message.dilationFactor, default: 1, "dilationFactor", decoder),
      padding: try Self.padding(message.convolutionPaddingType, decoder),
      isDeconvolution: message.isDeconvolution,
      outputShape: message.isDeconvolution && !message.outputShape.isEmpty
        ? try Self.pair(message.outputShape, default: 0, "outputShape", decoder) : nil,
      hasBias: decoder.inputCount == 3 || message.hasBias)
    let (kernel, shape) = (convolution.kernel, convolution.weightShape)
    guard kernel.height <= 1 << 16, kernel.width <= 1 << 16, shape.count < 1 << 40 else {
      throw decoder.invalid("the kernel \(shape) is larger than any file. It may be corrupt.")
    }
    var constants: [(role: String, value: Constant)] = []
    if decoder.inputCount == 1 {
      let weights = try decoder.constant(
        message.weights, shape: shape, channelAxis: message.isDeconvolution ? 1 : 0,
        field: "weights")
      constants.append(("weights", weights))
    }
    if decoder.inputCount < 3, message.hasBias {
      let bias = try decoder.constant(message.bias, shape: [outputChannels], field: "bias")
      constants.append(("bias", bias))
    }
    return DecodedLayer(convolution, constants: constants)
  }

  private static func pair(
    _ values: [UInt64], default fallback: Int, _ field: String, _ decoder: LayerDecoder
  ) throws -> Pair {
    if values.isEmpty { return Pair(fallback, fallback) }
    guard values.count == 2, values.allSatisfy({ $0 > 0 }) else {
      throw decoder.invalid(
        "\(field) is \(values), expected two numbers above zero (height, width).")
    }
    return Pair(try decoder.size(values[0], field), try decoder.size(values[1], field))
  }

  private static func padding(
    _ message: Spec.ConvolutionLayerParams.OneOfConvolutionPaddingType?, _ decoder: LayerDecoder
  ) throws -> Padding {
    switch message {
    case .same(let same)?: return .same(topLeftHeavy: same.asymmetryMode == .topLeftHeavy)
    case .valid(let valid)?:
      let edges = valid.paddingAmounts?.borderAmounts ?? []
      if edges.isEmpty { return .valid(top: 0, left: 0, bottom: 0, right: 0) }
      guard edges.count == 2 else {
        throw decoder.invalid(
          "paddingAmounts has \(edges.count) entries, expected two (height, width).")
      }
      return .valid(
        top: try decoder.size(edges[0].startEdgeSize, "padding"),
        left: try decoder.size(edges[1].startEdgeSize, "padding"),
        bottom: try decoder.size(edges[0].endEdgeSize, "padding"),
        right: try decoder.size(edges[1].endEdgeSize, "padding"))
    case nil: return .valid(top: 0, left: 0, bottom: 0, right: 0)
    }
  }
}
