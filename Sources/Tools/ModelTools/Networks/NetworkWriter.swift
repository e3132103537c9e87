import ModelFormat

/// Builds the layers of a NeuralNetwork one after the other, for models that we write ourselves.
struct NetworkWriter {
  /// The layers so far.
  private(set) var layers: [Spec.NeuralNetworkLayer] = []

  /// Adds a layer that writes a value of the same name as its own, and returns that name.
  @discardableResult
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

  /// Adds a convolution with a bias, and a rectifier behind it named `rectifier`.
  ///
  /// - Parameters:
  ///   - kernel: height × width × in × out, as TensorFlow and JAX keep it.
  ///   - padding: zeros on each side.
  mutating func addConvolution(
    _ name: String, kernel: NumericArray, bias: NumericArray, stride: Int = 1, padding: Int = 0,
    rectifier: String, reading input: String
  ) throws -> String {
    guard kernel.shape.count == 4, bias.shape == [kernel.shape[3]] else {
      throw ModelToolsError(
        .badWeights,
        "Convolution '\(name)': the kernel has the extents \(kernel.shape) and the bias"
          + " \(bias.shape), expected [height, width, in, out] and [out].")
    }
    var convolution = Spec.ConvolutionLayerParams()
    convolution.kernelSize = [UInt64(kernel.shape[0]), UInt64(kernel.shape[1])]
    convolution.kernelChannels = UInt64(kernel.shape[2])
    convolution.outputChannels = UInt64(kernel.shape[3])
    convolution.nGroups = 1
    convolution.stride = [UInt64(stride), UInt64(stride)]
    convolution.dilationFactor = [1, 1]
    convolution.convolutionPaddingType = .valid(Self.padding(padding))
    convolution.hasBias = true
    convolution.weights = Spec.WeightParams(kernel.floats(axes: [3, 2, 0, 1]))
    convolution.bias = Spec.WeightParams(bias.floats())
    add(name, .convolution(convolution), reading: input)
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .reLU(Spec.ActivationReLU())
    return add(rectifier, .activation(activation), reading: name)
  }

  /// Zeros on all four sides.
  static func padding(_ amount: Int) -> Spec.ValidPadding {
    var edge = Spec.BorderAmounts.EdgeSizes()
    edge.startEdgeSize = UInt64(amount)
    edge.endEdgeSize = UInt64(amount)
    var borders = Spec.BorderAmounts()
    borders.borderAmounts = [edge, edge]
    var padding = Spec.ValidPadding()
    padding.paddingAmounts = borders
    return padding
  }
}

extension Spec.FeatureDescription {
  /// A feature of the model's description.
  init(_ name: String, _ summary: String, _ type: Spec.FeatureType.OneOfType) {
    self.init()
    self.name = name
    shortDescription = summary
    var feature = Spec.FeatureType()
    feature.type = type
    self.type = feature
  }
}

extension Spec.ImageFeatureType {
  /// A picture of one size.
  init(_ colorSpace: ColorSpace, width: Int, height: Int) {
    self.init()
    self.width = Int64(width)
    self.height = Int64(height)
    self.colorSpace = colorSpace
  }
}
