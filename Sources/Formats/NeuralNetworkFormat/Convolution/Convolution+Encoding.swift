import Graph
import ModelFormat
import Operators

extension ConvolutionOperator: NeuralNetworkEncodable {
  /// Writes the convolution. Weights that are not constant stay inputs of the layer. The format allows such inputs.
  public func encode(into encoder: inout LayerEncoder) throws {
    guard outputPadding == Pair(0, 0) else {
      throw EngineError(
        .unsupported,
        "it has output padding and a flexible size, but a deconvolution of a NeuralNetwork has a fixed output size. Give the inputs fixed sizes."
      )
    }
    var message = Spec.ConvolutionLayerParams()
    message.outputChannels = UInt64(outputChannels)
    message.kernelChannels = UInt64(kernelChannels)
    message.nGroups = UInt64(groups)
    message.kernelSize = kernel.sizes
    message.stride = stride.sizes
    message.dilationFactor = dilation.sizes
    message.isDeconvolution = isDeconvolution
    message.outputShape = outputShape?.sizes ?? []
    message.convolutionPaddingType = padding.message
    let holdsWeights = encoder.constants[1] != nil
    if holdsWeights {
      message.weights = try encoder.weights(
        1, "weights", channelAxis: isDeconvolution ? 1 : 0)
    }
    if let biasInput, holdsWeights || encoder.constants[biasInput] != nil {
      message.hasBias = true
      message.bias = try encoder.weights(biasInput, "biases")
    }
    encoder.layer.layer = .convolution(message)
  }
}

extension ConvolutionOperator.Pair {
  fileprivate var sizes: [UInt64] { [UInt64(height), UInt64(width)] }
}

extension ConvolutionOperator.Padding {
  fileprivate var message: Spec.ConvolutionLayerParams.OneOfConvolutionPaddingType {
    switch self {
    case .same(let topLeftHeavy):
      var same = Spec.SamePadding()
      same.asymmetryMode = topLeftHeavy ? .topLeftHeavy : .bottomRightHeavy
      return .same(same)
    case .valid(let top, let left, let bottom, let right):
      var valid = Spec.ValidPadding()
      var amounts = Spec.BorderAmounts()
      amounts.borderAmounts = [(top, bottom), (left, right)].map { start, end in
        var edges = Spec.BorderAmounts.EdgeSizes()
        edges.startEdgeSize = UInt64(start)
        edges.endEdgeSize = UInt64(end)
        return edges
      }
      valid.paddingAmounts = amounts
      return .valid(valid)
    }
  }
}
