import ModelFormat

/// Writes the layers of a style network one behind the other, and notes which parameters they take.
struct StyleNetworkWriter {
  /// Where the numbers come from, in the order of the layers.
  typealias Source = (StyleParameter) -> Spec.WeightParams

  /// The layers so far.
  private(set) var layers: [Spec.NeuralNetworkLayer] = []
  private let source: Source

  /// A writer that asks for the numbers of each layer.
  init(source: @escaping Source) { self.source = source }

  /// Adds a layer whose output is named after it, and returns that name.
  mutating func add(
    _ name: String, _ kind: Spec.NeuralNetworkLayer.OneOfLayer, reading inputs: String...,
    writing output: String? = nil
  ) -> String {
    var layer = Spec.NeuralNetworkLayer()
    layer.name = name
    layer.input = inputs
    layer.output = [output ?? name]
    layer.layer = kind
    layers.append(layer)
    return layer.output[0]
  }

  /// A convolution that pads with zeros; with a bias where no norm takes it away again.
  mutating func convolution(
    _ name: String, kernel: Int, stride: Int = 1, from inputs: Int, to outputs: Int,
    hasBias: Bool = false, reading input: String
  ) -> String {
    var convolution = Spec.ConvolutionLayerParams()
    convolution.kernelSize = [UInt64(kernel), UInt64(kernel)]
    convolution.kernelChannels = UInt64(inputs)
    convolution.outputChannels = UInt64(outputs)
    convolution.nGroups = 1
    convolution.stride = [UInt64(stride), UInt64(stride)]
    convolution.dilationFactor = [1, 1]
    var padding = Spec.ValidPadding()
    padding.paddingAmounts = Self.borders(kernel / 2)
    convolution.convolutionPaddingType = .valid(padding)
    convolution.weights = source(
      StyleParameter(layer: name, role: .weights, shape: [outputs, inputs, kernel, kernel]))
    if hasBias {
      convolution.hasBias = true
      convolution.bias = source(StyleParameter(layer: name, role: .bias, shape: [outputs]))
    }
    return add(name, .convolution(convolution), reading: input)
  }

  /// An instance norm.
  mutating func norm(_ name: String, channels: Int, reading input: String) -> String {
    var norm = Spec.BatchnormLayerParams()
    norm.channels = UInt64(channels)
    norm.computeMeanVar = true
    norm.instanceNormalization = true
    norm.epsilon = 1e-5
    norm.gamma = source(StyleParameter(layer: name, role: .gamma, shape: [channels]))
    norm.beta = source(StyleParameter(layer: name, role: .beta, shape: [channels]))
    return add(name, .batchnorm(norm), reading: input)
  }

  /// The sum of two values.
  mutating func sum(_ name: String, _ first: String, _ second: String) -> String {
    add(name, .add(Spec.AddLayerParams()), reading: first, second)
  }

  /// A rectifier.
  mutating func rectifier(_ name: String, reading input: String) -> String {
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .reLU(Spec.ActivationReLU())
    return add(name, .activation(activation), reading: input)
  }

  /// A sigmoid.
  mutating func sigmoid(_ name: String, reading input: String) -> String {
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .sigmoid(Spec.ActivationSigmoid())
    return add(name, .activation(activation), reading: input)
  }

  /// One factor and one shift for all numbers.
  mutating func affine(_ name: String, scale: Float, bias: Float, reading input: String) -> String {
    var affine = Spec.ScaleLayerParams()
    affine.shapeScale = [1, 1, 1]
    affine.scale = Spec.WeightParams([scale])
    affine.hasBias = true
    affine.shapeBias = [1, 1, 1]
    affine.bias = Spec.WeightParams([bias])
    return add(name, .scale(affine), reading: input)
  }

  /// Pixels repeated in both directions.
  mutating func upsampling(_ name: String, by factor: Int, reading input: String) -> String {
    var upsample = Spec.UpsampleLayerParams()
    upsample.scalingFactor = [UInt64(factor), UInt64(factor)]
    upsample.mode = .nn
    return add(name, .upsample(upsample), reading: input)
  }

  /// A margin of mirrored pixels.
  mutating func mirroredMargin(_ name: String, _ amount: Int, reading input: String) -> String {
    var padding = Spec.PaddingLayerParams()
    padding.paddingAmounts = Self.borders(amount)
    padding.paddingType = .reflection(Spec.PaddingLayerParams.PaddingReflection())
    return add(name, .padding(padding), reading: input)
  }

  /// The part of a picture behind a margin that has the size of another.
  mutating func crop(
    _ name: String, margin: Int, reading input: String, sizeOf other: String,
    writing output: String? = nil
  ) -> String {
    var crop = Spec.CropLayerParams()
    crop.offset = [UInt64(margin), UInt64(margin)]
    return add(name, .crop(crop), reading: input, other, writing: output)
  }

  private static func borders(_ amount: Int) -> Spec.BorderAmounts {
    var edge = Spec.BorderAmounts.EdgeSizes()
    edge.startEdgeSize = UInt64(amount)
    edge.endEdgeSize = UInt64(amount)
    var borders = Spec.BorderAmounts()
    borders.borderAmounts = [edge, edge]
    return borders
  }
}
