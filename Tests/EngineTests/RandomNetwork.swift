import Engine
import Operators
import ModelFormat

/// A random network. Its layers fuse, share memory, are views of other values, and change the layout. Some values are
/// read twice or added to values that are computed from them. Some are returned to the caller while other layers still
/// read them.
struct RandomNetwork {
  /// A value for later layers to read.
  private struct Value {
    var name: String
    var channels: Int
    var height: Int
    var width: Int

    var shape: [Int64] { [1, Int64(channels), Int64(height), Int64(width)] }
    func isAlike(_ other: Value) -> Bool {
      channels == other.channels && height == other.height && width == other.width
    }
  }

  private var generator: SplitMix64
  private var layers: [Spec.NeuralNetworkLayer] = []
  private var values: [Value] = []
  /// A description of the added layers, for messages.
  private(set) var recipe: [String] = []
  private(set) var outputs: [String] = []
  let inputShape: Shape

  /// Builds the network for a seed. The network for a seed is identical on every machine.
  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    let channels: Int = [3, 16, 32].randomElement(using: &generator) ?? 16
    let height = Int.random(in: 6...14, using: &generator)
    let width = Int.random(in: 6...14, using: &generator)
    inputShape = [1, channels, height, width]
    values = [Value(name: "x", channels: channels, height: height, width: width)]
    let count = Int.random(in: 4...14, using: &generator)
    while layers.count < count { addLayer() }
    // The outputs are the last value and some earlier values, which other layers may also read.
    outputs = [values[values.count - 1].name]
    for value in values.dropFirst().dropLast() where Int.random(in: 0..<8, using: &generator) == 0 {
      outputs.append(value.name)
    }
  }

  /// Builds the graph as the reader builds a graph from a file.
  func graph() throws -> Graph {
    var network = TestNetwork(layers, input: inputShape.dimensions.map(Int64.init))
    network.description.output = outputs.map { TestNetwork.array($0, []) }
    return try network.graph()
  }

  private mutating func pick() -> Value {
    // Usually picks the newest value, so that long chains occur.
    if Int.random(in: 0..<3, using: &generator) > 0 { return values[values.count - 1] }
    return values.randomElement(using: &generator) ?? values[0]
  }

  /// Adds a layer between existing values and a new one.
  private mutating func add(
    _ layer: Spec.NeuralNetworkLayer, _ inputs: [Value], _ channels: Int, _ height: Int,
    _ width: Int
  ) {
    let name = "v\(layers.count)"
    let named = layer.named("l\(layers.count)", inputs.map(\.name), name)
    layers.append(named)
    let operands = inputs.map(\.name).joined(separator: ", ")
    recipe.append("\(name) = \(named.layer?.fieldName ?? "?")(\(operands))")
    values.append(Value(name: name, channels: channels, height: height, width: width))
  }

  private mutating func addAlike(_ layer: Spec.NeuralNetworkLayer, _ inputs: Value...) {
    add(layer, inputs, inputs[0].channels, inputs[0].height, inputs[0].width)
  }

  private mutating func addLayer() {
    let source = pick()
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: convolve(source, to: source.channels)
    case 2:
      convolve(source, to: [8, 16, 32].randomElement(using: &generator) ?? 16)
    case 3: addAlike(.batchNorm(source.channels), source)
    case 4: addAlike(.calmInstanceNorm(source.channels), source)
    case 5: addAlike(.reLU, source)
    case 6: addAlike(.sigmoid, source)
    case 7: addAlike(.linear(0.5, 0.25), source)
    case 8, 9: addResidual(of: source)
    case 10: combine(source, .add)
    case 11: combine(source, .product)
    case 12:
      guard let other = partner(of: source), source.channels + other.channels <= 64 else { return }
      add(.concat, [source, other], source.channels + other.channels, source.height, source.width)
    case 13:
      guard source.height < 15, source.width < 15 else { return }
      add(.upsample(2), [source], source.channels, source.height * 2, source.width * 2)
    case 14:
      guard source.height > 6, source.width > 6 else {
        return add(
          .zeroPadding(1), [source], source.channels, source.height + 2, source.width + 2)
      }
      add(.crop(1), [source], source.channels, source.height - 2, source.width - 2)
    default:
      // Reshapes the value, and reshapes the result back. So two values of different shapes share the same memory.
      let flat = Value(
        name: "v\(layers.count)", channels: 1, height: source.channels,
        width: source.height * source.width)
      add(.reshape(flat.shape), [source], flat.channels, flat.height, flat.width)
      add(.reshape(source.shape), [flat], source.channels, source.height, source.width)
    }
  }

  /// Adds `x + f(x)` or a variant of it, where `f` is one or two layers.
  private mutating func addResidual(of source: Value) {
    var made = source
    for _ in 0...Int.random(in: 0...1, using: &generator) {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: addAlike(.calmInstanceNorm(source.channels), made)
      case 1: addAlike(.sigmoid, made)
      default: convolve(made, to: source.channels)
      }
      made = values[values.count - 1]
    }
    let order = Bool.random(using: &generator) ? [source, made] : [made, source]
    add(.add, order, source.channels, source.height, source.width)
  }

  private mutating func combine(_ source: Value, _ layer: Spec.NeuralNetworkLayer) {
    addAlike(layer, source, partner(of: source) ?? source)
  }

  /// Returns a value that has the same extents as `value`. It is often `value` itself.
  private mutating func partner(of value: Value) -> Value? {
    values.filter { $0.isAlike(value) }.randomElement(using: &generator)
  }

  private mutating func convolve(_ source: Value, to channels: Int) {
    let kernel: Int = [1, 3, 3, 5].randomElement(using: &generator) ?? 3
    add(
      .calmConvolution(
        channels, source.channels, kernel: kernel, seed: UInt64(layers.count + 1)),
      [source], channels, source.height, source.width)
  }
}

extension Spec.NeuralNetworkLayer {
  /// Creates a convolution that preserves the size and the approximate magnitude of its input.
  fileprivate static func calmConvolution(
    _ outputs: Int, _ inputs: Int, kernel: Int, seed: UInt64
  ) -> Spec.NeuralNetworkLayer {
    var layer = convolution(outputs, inputs, kernel: kernel, padding: kernel / 2, seed: seed)
    guard case .convolution(var message)? = layer.layer else { return layer }
    var weights = SplitMix64(seed: seed)
    let count = outputs * inputs * kernel * kernel
    let scale = 1.7 / Double(inputs * kernel * kernel).squareRoot()
    message.weights = Spec.WeightParams(
      (0..<count).map { _ in Float(weights.uniform(-scale...scale)) })
    layer.layer = .convolution(message)
    return layer
  }

  /// Creates an instance norm that does not amplify nearly constant inputs.
  fileprivate static func calmInstanceNorm(_ channels: Int) -> Spec.NeuralNetworkLayer {
    var layer = batchNorm(channels, instance: true)
    guard case .batchnorm(var message)? = layer.layer else { return layer }
    message.epsilon = 0.25
    layer.layer = .batchnorm(message)
    return layer
  }

  fileprivate static var product: Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.multiply(Spec.MultiplyLayerParams()))
  }

  fileprivate static var concat: Spec.NeuralNetworkLayer {
    var message = Spec.ConcatNDLayerParams()
    message.axis = -3
    return Spec.NeuralNetworkLayer(.concatND(message))
  }

  fileprivate static func reshape(_ shape: [Int64]) -> Spec.NeuralNetworkLayer {
    var message = Spec.ReshapeStaticLayerParams()
    message.targetShape = shape
    return Spec.NeuralNetworkLayer(.reshapeStatic(message))
  }
}
