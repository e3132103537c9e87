import Graph
import ModelFormat

/// Scale: multiplies by learned factors and adds learned shifts.
///
///     y = scale · x + bias
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch.
/// - Parameters: each of shape `[1]`, `[C]`, `[1, H, W]` or `[C, H, W]`, stretched to `[C, H, W]`.
/// - Output: the input's shape.
/// - Errors: parameters that do not stretch to the input.
///
/// **Source:** `ScaleLayerParams`.
public struct ScaleOperator: Layer, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "Scale", specification: "scale", summary: "scale · x + bias, a number, a channel or a pixel")

  /// Factors, of shape `[C or 1, H or 1, W or 1]`.
  public var scale: Weights
  /// Shifts, of shape `[C or 1, H or 1, W or 1]`; nil is 0.
  public var bias: Weights?

  /// A layer; the weights have three dimensions, each one or the input's.
  public init(scale: Weights, bias: Weights? = nil) {
    precondition(scale.shape.rank == 3 && (bias?.shape.rank ?? 3) == 3)
    self.scale = scale
    self.bias = bias
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .scale(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let scale = try decoder.weights(
      message.scale, shape: try decoder.parameterShape(message.shapeScale, "shapeScale"),
      field: "scale")
    var bias: Weights?
    if message.hasBias {
      bias = try decoder.weights(
        message.bias, shape: try decoder.parameterShape(message.shapeBias, "shapeBias"),
        field: "bias")
    }
    self.init(scale: scale, bias: bias)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    try scale.shape.requireStretches(to: shape, "scale")
    try bias?.shape.requireStretches(to: shape, "bias")
    return [TensorType(shape)]
  }

  public func affine() throws -> (scale: [Float], shift: [Float])? {
    guard scale.shape.isPerChannel, bias?.shape.isPerChannel ?? true else { return nil }
    return (try scale.floats(), try bias?.floats() ?? [0])
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let factors = ReferenceTensor(scale.shape, try scale.doubles())
    let shifts: ReferenceTensor? = try bias.map { ReferenceTensor($0.shape, try $0.doubles()) }
    return [
      inputs[0].mappedWithPlace { (value: Double, place: [Int]) -> Double in
        value * factors.stretched(place) + (shifts?.stretched(place) ?? 0)
      }
    ]
  }
}

/// Bias: adds learned shifts.
///
///     y = x + bias
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch.
/// - Parameter: of shape `[1]`, `[C]`, `[1, H, W]` or `[C, H, W]`, stretched to `[C, H, W]`.
/// - Output: the input's shape.
/// - Errors: a bias that does not stretch to the input.
///
/// **Source:** `BiasLayerParams`.
public struct BiasOperator: Layer, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "Bias", specification: "bias", summary: "x + bias, a number, a channel or a pixel")

  /// Shifts, of shape `[C or 1, H or 1, W or 1]`.
  public var bias: Weights

  /// A layer; the weights have three dimensions, each one or the input's.
  public init(bias: Weights) {
    precondition(bias.shape.rank == 3)
    self.bias = bias
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .bias(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    self.init(
      bias: try decoder.weights(
        message.bias, shape: try decoder.parameterShape(message.shape, "shape"), field: "bias"))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    try bias.shape.requireStretches(to: shape, "bias")
    return [TensorType(shape)]
  }

  public func affine() throws -> (scale: [Float], shift: [Float])? {
    guard bias.shape.isPerChannel else { return nil }
    return ([1], try bias.floats())
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let shifts = ReferenceTensor(bias.shape, try bias.doubles())
    return [
      inputs[0].mappedWithPlace { (value: Double, place: [Int]) -> Double in
        value + shifts.stretched(place)
      }
    ]
  }
}

extension LayerDecoder {
  /// The shape of a parameter, `[1]`, `[C]`, `[1, H, W]` or `[C, H, W]`, as `[C, H, W]`.
  package func parameterShape(_ values: [UInt64], _ field: String) throws -> Shape {
    let sizes: [Int] = try values.map { try size($0, field) }
    switch sizes.count {
    case 1: return [sizes[0], 1, 1]
    case 3: return Shape(sizes)
    default:
      throw invalid("\(field) has \(sizes.count) dimensions, expected 1 ([C]) or 3 ([C, H, W]).")
    }
  }
}

extension Shape {
  /// Whether a parameter of three dimensions varies at most by channel.
  package var isPerChannel: Bool { rank == 3 && self[1] == 1 && self[2] == 1 }

  /// Checks that a parameter of three dimensions stretches to the last three of an input.
  package func requireStretches(to input: Shape, _ field: String) throws {
    let map = try FeatureMap(input)
    let extents: [Int] = [map.channels, map.height, map.width]
    for axis in 0..<3 where self[axis] != 1 && self[axis] != extents[axis] {
      throw EngineError(
        .invalidInput,
        "the \(field) has the shape \(self), which does not stretch to the input's last three "
          + "dimensions (\(Shape(extents))).")
    }
  }
}

extension ReferenceTensor {
  /// Maps every element by its value and its index.
  package func mappedWithPlace(_ body: (_ value: Double, _ place: [Int]) -> Double) -> ReferenceTensor {
    var result: ReferenceTensor = self
    shape.forEachIndex { (index: [Int], position: Int) in
      result.values[position] = body(values[position], index)
    }
    return result
  }

  /// The element of a three-dimensional parameter for the last three indices of a place.
  package func stretched(_ place: [Int]) -> Double {
    let last: ArraySlice<Int> = place.suffix(3)
    let index: [Int] = zip(last, shape.dimensions).map { $1 == 1 ? 0 : $0 }
    return self[index]
  }
}
