import Engine
import ModelFormat
import StyleTransfer

/// A feature network small enough for plain loops: two 3 × 3 convolutions with ReLUs and a pooling between them.
struct SmallFeatures {
  /// A convolution's weights, `[out][in][3][3]` in row-major order, and its bias.
  struct Kernel {
    let inputs: Int
    let outputs: Int
    let weights: [Float]
    let bias: [Float]

    init(inputs: Int, outputs: Int, seed: UInt64) {
      var random = SmallRandom(seed: seed)
      self.inputs = inputs
      self.outputs = outputs
      weights = (0..<inputs * outputs * 9).map { _ in (random.next() - 0.5) * 0.6 }
      bias = (0..<outputs).map { _ in random.next() * 0.2 }
    }
  }

  let first = Kernel(inputs: 3, outputs: 4, seed: 1)
  let second = Kernel(inputs: 4, outputs: 5, seed: 2)

  /// Builds the model. It scales the input by `v / 255 − 0.5`. The layers are `conv1`, `relu1`, `pool1`, `conv2` and
  /// `relu2`.
  func model(_ colorSpace: Spec.ImageFeatureType.ColorSpace = .rgb) -> Spec.Model {
    func convolution(_ name: String, _ kernel: Kernel, reading input: String)
      -> [Spec.NeuralNetworkLayer]
    {
      var edge = Spec.BorderAmounts.EdgeSizes()
      (edge.startEdgeSize, edge.endEdgeSize) = (1, 1)
      var amounts = Spec.BorderAmounts()
      amounts.borderAmounts = [edge, edge]
      var padding = Spec.ValidPadding()
      padding.paddingAmounts = amounts
      var message = Spec.ConvolutionLayerParams()
      message.kernelSize = [3, 3]
      message.kernelChannels = UInt64(kernel.inputs)
      message.outputChannels = UInt64(kernel.outputs)
      message.nGroups = 1
      message.convolutionPaddingType = .valid(padding)
      message.hasBias = true
      message.weights = values(kernel.weights)
      message.bias = values(kernel.bias)
      var rectifier = Spec.ActivationParams()
      rectifier.nonlinearityType = .reLU(Spec.ActivationReLU())
      return [
        layer("conv\(name)", .convolution(message), input),
        layer("relu\(name)", .activation(rectifier), "conv\(name)"),
      ]
    }
    var pooling = Spec.PoolingLayerParams()
    pooling.type = .max
    (pooling.kernelSize, pooling.stride) = ([2, 2], [2, 2])
    pooling.poolingPaddingType = .valid(Spec.ValidPadding())

    var network = Spec.NeuralNetwork()
    network.layers =
      convolution("1", first, reading: "image") + [layer("pool1", .pooling(pooling), "relu1")]
      + convolution("2", second, reading: "pool1")
    var scaler = Spec.NeuralNetworkImageScaler()
    scaler.channelScale = 1 / 255
    (scaler.redBias, scaler.greenBias, scaler.blueBias) = (-0.5, -0.4, -0.3)
    var preprocessing = Spec.NeuralNetworkPreprocessing()
    preprocessing.preprocessor = .scaler(scaler)
    network.preprocessing = [preprocessing]

    var image = Spec.ImageFeatureType()
    (image.width, image.height, image.colorSpace) = (8, 8, colorSpace)
    var type = Spec.FeatureType()
    type.type = .imageType(image)
    var input = Spec.FeatureDescription()
    (input.name, input.type) = ("image", type)
    var description = Spec.ModelDescription()
    description.input = [input]
    var model = Spec.Model()
    model.specificationVersion = 3
    model.description = description
    model.type = .neuralNetwork(network)
    return model
  }

  private func values(_ floats: [Float]) -> Spec.WeightParams {
    var message = Spec.WeightParams()
    message.floatValue = FloatValues(floats)
    return message
  }

  private func layer(
    _ name: String, _ kind: Spec.NeuralNetworkLayer.OneOfLayer, _ input: String
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer()
    (layer.name, layer.input, layer.output, layer.layer) = (name, [input], [name], kind)
    return layer
  }

  // MARK: The same in plain loops

  /// An image or feature map as planes of equal size.
  struct Planes {
    var channels: Int
    var height: Int
    var width: Int
    var values: [Double]

    subscript(_ channel: Int, _ y: Int, _ x: Int) -> Double {
      values[(channel * height + y) * width + x]
    }
  }

  /// Returns the features `relu1` and `relu2` of an image with values 0…255.
  func features(of picture: Planes) -> (Planes, Planes) {
    var pixels = picture
    let shift: [Double] = [-0.5, -0.4, -0.3]
    let area: Int = picture.height * picture.width
    for index in pixels.values.indices {
      pixels.values[index] = pixels.values[index] / 255 + shift[index / area]
    }
    let one: Planes = convolved(pixels, first)
    var pooled = Planes(
      channels: one.channels, height: one.height / 2, width: one.width / 2, values: [])
    for channel in 0..<one.channels {
      for y in 0..<pooled.height {
        for x in 0..<pooled.width {
          let four: [Double] = [(0, 0), (0, 1), (1, 0), (1, 1)].map {
            one[channel, 2 * y + $0.0, 2 * x + $0.1]
          }
          pooled.values.append(four.max() ?? 0)
        }
      }
    }
    return (one, convolved(pooled, second))
  }

  private func convolved(_ input: Planes, _ kernel: Kernel) -> Planes {
    var result = Planes(
      channels: kernel.outputs, height: input.height, width: input.width, values: [])
    for output in 0..<kernel.outputs {
      for y in 0..<input.height {
        for x in 0..<input.width {
          var sum = Double(kernel.bias[output])
          for channel in 0..<kernel.inputs {
            for row in 0..<3 {
              for column in 0..<3 {
                let (py, px) = (y + row - 1, x + column - 1)
                guard py >= 0, px >= 0, py < input.height, px < input.width else { continue }
                let weight: Float =
                  kernel.weights[((output * kernel.inputs + channel) * 3 + row) * 3 + column]
                sum += Double(weight) * input[channel, py, px]
              }
            }
          }
          result.values.append(max(0, sum))
        }
      }
    }
    return result
  }

  /// Returns the Gram matrix of planes, in row-major order.
  func gram(of planes: Planes) -> [Double] {
    let area: Int = planes.height * planes.width
    var result: [Double] = []
    for one in 0..<planes.channels {
      for two in 0..<planes.channels {
        var sum: Double = 0
        for pixel in 0..<area {
          sum += planes.values[one * area + pixel] * planes.values[two * area + pixel]
        }
        result.append(sum / Double(planes.channels * area))
      }
    }
    return result
  }
}

/// Pseudo-random numbers 0…1, identical on every machine.
struct SmallRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(state >> 40) / Float(1 << 24)
  }
}
