import Engine
import Operators

/// A layer of a style network: an operator, its inputs and its parameters.
struct StyleLayer {
  /// The name of the layer, which is also the name of its output.
  let name: String
  /// The operator.
  let operation: any Operator
  /// The names of the values that the layer reads: the picture, or the outputs of earlier layers.
  let inputs: [String]
  /// The trainable parameters, which follow ``inputs`` as inputs of the operator.
  var parameters: [StyleParameter] = []
  /// The constant parameters, which follow ``parameters`` as inputs of the operator. All elements of a constant have
  /// the same value.
  var constants: [(part: String, shape: Shape, value: Float)] = []
}

/// Builds the list of layers of a style network. Each function adds a layer and returns the name of its output.
struct StyleLayers {
  /// The number of styles of the network's conditional norms. 0 for norms of one style.
  let styleCount: Int
  /// The layers that have been added so far.
  private(set) var all: [StyleLayer] = []

  private mutating func add(_ layer: StyleLayer) -> String {
    all.append(layer)
    return layer.name
  }

  /// Adds a convolution that pads with zeros. The convolution has a bias only if no norm follows, because a norm would
  /// remove the bias.
  mutating func convolution(
    _ name: String, kernel: Int, stride: Int = 1, from inputs: Int, to outputs: Int,
    hasBias: Bool = false, reading input: String
  ) -> String {
    let margin: Int = kernel / 2
    let convolution = ConvolutionOperator(
      outputChannels: outputs, kernelChannels: inputs,
      kernel: ConvolutionOperator.Pair(kernel, kernel),
      stride: ConvolutionOperator.Pair(stride, stride),
      padding: .valid(top: margin, left: margin, bottom: margin, right: margin),
      hasBias: hasBias)
    var layer = StyleLayer(name: name, operation: convolution, inputs: [input])
    layer.parameters = [
      StyleParameter(layer: name, role: .weights, shape: [outputs, inputs, kernel, kernel])
    ]
    if hasBias {
      layer.parameters.append(StyleParameter(layer: name, role: .bias, shape: [outputs]))
    }
    return add(layer)
  }

  /// Adds an instance norm. If the network has several styles, its scales and offsets are sums over the styles.
  mutating func norm(_ name: String, channels: Int, reading input: String) -> String {
    let norm = BatchNormOperator(channels: channels, statistics: .instance, epsilon: 1e-5)
    if styleCount > 0 {
      let normalized: String = add(
        StyleLayer(
          name: name, operation: norm, inputs: [input],
          constants: [("gamma", [channels], 1), ("beta", [channels], 0)]))
      let gamma: String = styleSum(.gamma, of: name, channels: channels)
      let beta: String = styleSum(.beta, of: name, channels: channels)
      let scaled: String = add(
        StyleLayer(
          name: "\(name)_scaled", operation: MultiplyOperator(inputCount: 2),
          inputs: [normalized, gamma]))
      return sum("\(name)_shifted", scaled, beta)
    }
    let parameters: [StyleParameter] = [StyleParameter.Role.gamma, .beta].map {
      StyleParameter(layer: name, role: $0, shape: [channels])
    }
    return add(
      StyleLayer(name: name, operation: norm, inputs: [input], parameters: parameters))
  }

  /// Adds the sum of a norm's scales or offsets over the styles, weighted by the weights of the styles. The sum is
  /// computed as a 1 × 1 convolution from the styles to the channels.
  private mutating func styleSum(_ role: StyleParameter.Role, of norm: String, channels: Int)
    -> String
  {
    let name = "\(norm)_\(role.rawValue)"
    let convolution = ConvolutionOperator(
      outputChannels: channels, kernelChannels: styleCount, kernel: ConvolutionOperator.Pair(1, 1))
    let parameter = StyleParameter(layer: name, role: role, shape: [channels, styleCount, 1, 1])
    return add(
      StyleLayer(
        name: name, operation: convolution, inputs: [StyleArchitecture.stylesName],
        parameters: [parameter]))
  }

  /// Adds the sum of two values.
  mutating func sum(_ name: String, _ first: String, _ second: String) -> String {
    add(StyleLayer(name: name, operation: AddOperator(inputCount: 2), inputs: [first, second]))
  }

  /// Adds an activation function.
  mutating func activation(_ name: String, _ function: ActivationFunction, reading input: String)
    -> String
  {
    add(StyleLayer(name: name, operation: ActivationOperator(function), inputs: [input]))
  }

  /// Adds a layer that multiplies all elements by `scale` and adds `bias`.
  mutating func affine(_ name: String, scale: Float, bias: Float, reading input: String) -> String {
    add(
      StyleLayer(
        name: name, operation: ScaleOperator(hasBias: true), inputs: [input],
        constants: [("scale", [1, 1, 1], scale), ("bias", [1, 1, 1], bias)]))
  }

  /// Adds nearest-neighbour upsampling of rows and columns.
  mutating func upsampling(_ name: String, by factor: Int, reading input: String) -> String {
    let operation = UpsampleOperator(heightFactor: Float(factor), widthFactor: Float(factor))
    return add(StyleLayer(name: name, operation: operation, inputs: [input]))
  }

  /// Adds a margin of `amount` mirrored pixels on each side.
  mutating func mirroredMargin(_ name: String, _ amount: Int, reading input: String) -> String {
    let amounts = EdgeAmounts(top: amount, bottom: amount, left: amount, right: amount)
    return add(
      StyleLayer(
        name: name, operation: PaddingOperator(amounts: amounts, mode: .reflection),
        inputs: [input]))
  }

  /// Adds a crop to the size of another value, at an offset of `margin` pixels from the top and the left.
  mutating func crop(_ name: String, margin: Int, reading input: String, sizeOf other: String)
    -> String
  {
    let crop = CropOperator(referenceOffset: CropOperator.Offset(top: margin, left: margin))
    return add(StyleLayer(name: name, operation: crop, inputs: [input, other]))
  }
}
