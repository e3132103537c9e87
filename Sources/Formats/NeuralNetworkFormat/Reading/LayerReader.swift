import Graph

/// The operator and the constants that a layer of a NeuralNetwork becomes in the graph.
public struct DecodedLayer: Sendable {
  /// The operator.
  public var operation: any Operator
  /// The constants that the operator reads after the inputs of the layer, each with its role, such as “weights”.
  public var constants: [(role: String, value: Constant)]
  /// Whether the layer only outputs its single constant. If so, the graph stores the constant under the output's name.
  /// An operator is added only if other networks may read that name.
  public var isConstant: Bool
  /// Whether the first output is a scalar by the specification. See ``NetworkContext/scalars``.
  public var makesScalar: Bool

  /// Makes a layer from an operator and its constants.
  public init(
    _ operation: any Operator, constants: [(role: String, value: Constant)] = [],
    isConstant: Bool = false, makesScalar: Bool = false
  ) {
    self.operation = operation
    self.constants = constants
    self.isConstant = isConstant
    self.makesScalar = makesScalar
  }
}

/// Reads one layer type of a NeuralNetwork.
public struct LayerReader: Sendable {
  /// The field of `NeuralNetworkLayer.layer` that holds this layer type, such as `convolution`.
  public let field: String
  /// The operator that the layer becomes.
  public let type: any Operator.Type
  /// The name and the summary of the layer type in messages and listings. The name and the summary are the operator's
  /// own, unless several layer types become this operator.
  public let declaration: OperatorDeclaration
  /// Reads a layer. If the layer contradicts the specification, throws the `invalidModel` error that
  /// ``LayerDecoder/invalid(_:)`` makes.
  public let decode: @Sendable (LayerDecoder) throws -> DecodedLayer

  /// Makes a reader of the layer type that a field of `NeuralNetworkLayer.layer` holds.
  public init(
    _ field: String, _ type: any Operator.Type, declaration: OperatorDeclaration? = nil,
    decode: @escaping @Sendable (LayerDecoder) throws -> DecodedLayer
  ) {
    self.field = field
    self.type = type
    self.declaration = declaration ?? type.declaration
    self.decode = decode
  }

  /// Makes a reader of a layer type without weights.
  public init<Made: Operator>(
    _ field: String, _ operation: @escaping @Sendable (LayerDecoder) throws -> Made
  ) {
    self.init(field, Made.self) { DecodedLayer(try operation($0)) }
  }
}
