import Engine
import NetworkRuns
import OperatorSamples
import Operators
import ModelFormat

/// A small network for tests, built from specification messages.
struct TestNetwork {
  var message: NeuralNetworkMessage
  var description = Spec.ModelDescription()

  /// Creates a network of the given layers from array "x" to an output array. Every array keeps the rank that the
  /// description states (exact array mapping).
  init(_ layers: [Spec.NeuralNetworkLayer], input: [Int64], output: String = "y") {
    var network = Spec.NeuralNetwork()
    network.layers = layers
    network.arrayInputShapeMapping = .exactArrayMapping
    var model = Spec.Model()
    model.type = .neuralNetwork(network)
    guard let message = NeuralNetworkMessage(model) else { preconditionFailure("a network") }
    self.message = message
    description.input = [Self.array("x", input)]
    description.output = [Self.array(output, [])]
  }

  static func array(_ name: String, _ shape: [Int64]) -> Spec.FeatureDescription {
    var array = Spec.ArrayFeatureType()
    array.shape = shape
    array.dataType = .float32
    var type = Spec.FeatureType()
    type.type = .multiArrayType(array)
    var feature = Spec.FeatureDescription()
    feature.name = name
    feature.type = type
    return feature
  }

  func graph() throws -> Graph {
    try Graph(message, description: description, catalog: .standard)
  }

  func network(_ options: ExecutionOptions = ExecutionOptions(threads: 2)) throws -> Network {
    Network(try graph(), passes: GraphPasses.standard, options: options)
  }
}

extension Spec.NeuralNetworkLayer {
  /// Returns a copy of the layer with this name and these inputs and output.
  func named(_ name: String, _ inputs: [String], _ output: String) -> Spec.NeuralNetworkLayer {
    var result = self
    result.name = name
    result.input = inputs
    result.output = [output]
    return result
  }

  static func convolution(
    _ outputs: Int, _ inputs: Int, kernel: Int = 3, stride: UInt64 = 1, padding: Int = 0,
    groups: Int = 1, seed: UInt64 = 1
  ) -> Spec.NeuralNetworkLayer {
    var message = Spec.ConvolutionLayerParams()
    message.outputChannels = UInt64(outputs)
    message.kernelChannels = UInt64(inputs / groups)
    message.nGroups = UInt64(groups)
    message.kernelSize = [UInt64(kernel), UInt64(kernel)]
    message.stride = [stride, stride]
    message.weights = .random(outputs * inputs / groups * kernel * kernel, seed: seed)
    message.hasBias = true
    message.bias = .random(outputs, seed: seed + 100)
    var edges = Spec.BorderAmounts.EdgeSizes()
    edges.startEdgeSize = UInt64(padding)
    edges.endEdgeSize = UInt64(padding)
    var amounts = Spec.BorderAmounts()
    amounts.borderAmounts = [edges, edges]
    var valid = Spec.ValidPadding()
    valid.paddingAmounts = amounts
    message.convolutionPaddingType = .valid(valid)
    return Spec.NeuralNetworkLayer(.convolution(message))
  }

  /// Creates a deconvolution with kernel 3 and stride 2. Without a stated output size, the output size is 2 · input
  /// size + 1.
  static func deconvolution(
    _ outputs: Int, _ inputs: Int, outputShape: [UInt64]
  ) -> Spec.NeuralNetworkLayer {
    var message = Spec.ConvolutionLayerParams()
    message.outputChannels = UInt64(outputs)
    message.kernelChannels = UInt64(inputs)
    message.kernelSize = [3, 3]
    message.stride = [2, 2]
    message.isDeconvolution = true
    message.outputShape = outputShape
    message.weights = .random(outputs * inputs * 9, seed: 21)
    message.convolutionPaddingType = .valid(Spec.ValidPadding())
    return Spec.NeuralNetworkLayer(.convolution(message))
  }

  static func batchNorm(_ channels: Int, instance: Bool = false) -> Spec.NeuralNetworkLayer {
    var message = Spec.BatchnormLayerParams()
    message.channels = UInt64(channels)
    message.gamma = .random(channels, seed: 11)
    message.beta = .random(channels, seed: 12)
    message.epsilon = 1e-4
    if instance {
      message.computeMeanVar = true
      message.instanceNormalization = true
    } else {
      message.mean = .random(channels, seed: 13)
      message.variance = Spec.WeightParams((0..<channels).map { 0.5 + Float($0 % 7) / 4 })
    }
    return Spec.NeuralNetworkLayer(.batchnorm(message))
  }

  static var reLU: Spec.NeuralNetworkLayer {
    var message = Spec.ActivationParams()
    message.nonlinearityType = .reLU(Spec.ActivationReLU())
    return Spec.NeuralNetworkLayer(.activation(message))
  }

  static var sigmoid: Spec.NeuralNetworkLayer {
    var message = Spec.ActivationParams()
    message.nonlinearityType = .sigmoid(Spec.ActivationSigmoid())
    return Spec.NeuralNetworkLayer(.activation(message))
  }

  static func linear(_ alpha: Float, _ beta: Float) -> Spec.NeuralNetworkLayer {
    var linear = Spec.ActivationLinear()
    linear.alpha = alpha
    linear.beta = beta
    var message = Spec.ActivationParams()
    message.nonlinearityType = .linear(linear)
    return Spec.NeuralNetworkLayer(.activation(message))
  }

  static var add: Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.add(Spec.AddLayerParams()))
  }

  static func upsample(_ factor: UInt64) -> Spec.NeuralNetworkLayer {
    var message = Spec.UpsampleLayerParams()
    message.scalingFactor = [factor, factor]
    return Spec.NeuralNetworkLayer(.upsample(message))
  }

  static func zeroPadding(_ amount: UInt64) -> Spec.NeuralNetworkLayer {
    var edges = Spec.BorderAmounts.EdgeSizes()
    edges.startEdgeSize = amount
    edges.endEdgeSize = amount
    var message = Spec.PaddingLayerParams()
    var amounts = Spec.BorderAmounts()
    amounts.borderAmounts = [edges, edges]
    message.paddingAmounts = amounts
    message.paddingType = .constant(Spec.PaddingLayerParams.PaddingConstant())
    return Spec.NeuralNetworkLayer(.padding(message))
  }

  /// Creates a layer that crops its first input to the size of its second input.
  static func cropToSize(top: UInt64, left: UInt64) -> Spec.NeuralNetworkLayer {
    var message = Spec.CropLayerParams()
    message.offset = [top, left]
    return Spec.NeuralNetworkLayer(.crop(message))
  }

  static func crop(_ amount: UInt64) -> Spec.NeuralNetworkLayer {
    var edges = Spec.BorderAmounts.EdgeSizes()
    edges.startEdgeSize = amount
    edges.endEdgeSize = amount
    var message = Spec.CropLayerParams()
    var amounts = Spec.BorderAmounts()
    amounts.borderAmounts = [edges, edges]
    message.cropAmounts = amounts
    return Spec.NeuralNetworkLayer(.crop(message))
  }
}

extension Graph {
  /// Computes the graph's outputs with reference kernels alone. The results of every plan must match these outputs.
  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try definition(inputs).compactMap { $0 }
  }
}

extension Network {
  /// Predicts with a plan. Converts the input from a reference tensor, and the output to a reference tensor.
  func predict(_ input: ReferenceTensor) throws -> ReferenceTensor {
    try run([input])[0]
  }
}

extension ReferenceTensor {
  /// Creates a tensor of pseudo-random values in −1…1.
  static func random(_ shape: Shape, seed: UInt64 = 5) -> ReferenceTensor {
    var generator = SplitMix64(seed: seed)
    return ReferenceTensor(
      shape, (0..<shape.count).map { _ in Double(Float(generator.uniform(-1...1))) })
  }

  /// Returns the largest difference between this tensor and `other`, divided by the largest magnitude in `other`.
  func relativeDifference(to other: ReferenceTensor) -> Double {
    guard shape.count == other.shape.count else { return .infinity }
    let scale = max(other.reals.map(abs).max() ?? 1, 1e-6)
    let worst = zip(reals, other.reals).map { abs($0 - $1) }.max() ?? 0
    return worst.isNaN ? .infinity : worst / scale
  }
}
