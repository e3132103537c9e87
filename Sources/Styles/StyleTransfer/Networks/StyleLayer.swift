import Engine
import Operators

/// A layer of a style network: an operator, what it reads, and its numbers.
struct StyleLayer {
  /// The layer's name, and that of the value that it makes.
  let name: String
  /// What it computes.
  let operation: any Operator
  /// What it reads: the picture, or what earlier layers make, by name.
  let inputs: [String]
  /// What it reads after that and training changes.
  var parameters: [StyleParameter] = []
  /// What it reads after that and stays, one number each, with the name of its part.
  var numbers: [(part: String, value: Float)] = []
}

/// Notes the layers of a style network one after the other. Each function returns the name of what its layer makes.
struct StyleLayers {
  /// The layers so far.
  private(set) var all: [StyleLayer] = []

  private mutating func add(_ layer: StyleLayer) -> String {
    all.append(layer)
    return layer.name
  }

  /// A convolution that pads with zeros; with a bias where no norm takes it away again.
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

  /// An instance norm.
  mutating func norm(_ name: String, channels: Int, reading input: String) -> String {
    let norm = BatchNormOperator(channels: channels, statistics: .instance, epsilon: 1e-5)
    let parameters: [StyleParameter] = [StyleParameter.Role.gamma, .beta].map {
      StyleParameter(layer: name, role: $0, shape: [channels])
    }
    return add(
      StyleLayer(name: name, operation: norm, inputs: [input], parameters: parameters))
  }

  /// The sum of two values.
  mutating func sum(_ name: String, _ first: String, _ second: String) -> String {
    add(StyleLayer(name: name, operation: AddOperator(inputCount: 2), inputs: [first, second]))
  }

  /// A function of each number.
  mutating func activation(_ name: String, _ function: ActivationFunction, reading input: String)
    -> String
  {
    add(StyleLayer(name: name, operation: ActivationOperator(function), inputs: [input]))
  }

  /// One factor and one shift for all numbers.
  mutating func affine(_ name: String, scale: Float, bias: Float, reading input: String) -> String {
    add(
      StyleLayer(
        name: name, operation: ScaleOperator(hasBias: true), inputs: [input],
        numbers: [("scale", scale), ("bias", bias)]))
  }

  /// Pixels repeated in both directions.
  mutating func upsampling(_ name: String, by factor: Int, reading input: String) -> String {
    let operation = UpsampleOperator(heightFactor: Float(factor), widthFactor: Float(factor))
    return add(StyleLayer(name: name, operation: operation, inputs: [input]))
  }

  /// A margin of mirrored pixels.
  mutating func mirroredMargin(_ name: String, _ amount: Int, reading input: String) -> String {
    let amounts = EdgeAmounts(top: amount, bottom: amount, left: amount, right: amount)
    return add(
      StyleLayer(
        name: name, operation: PaddingOperator(amounts: amounts, mode: .reflection),
        inputs: [input]))
  }

  /// The part of a picture after a margin that has the size of another.
  mutating func crop(_ name: String, margin: Int, reading input: String, sizeOf other: String)
    -> String
  {
    let crop = CropOperator(referenceOffset: CropOperator.Offset(top: margin, left: margin))
    return add(StyleLayer(name: name, operation: crop, inputs: [input, other]))
  }
}
