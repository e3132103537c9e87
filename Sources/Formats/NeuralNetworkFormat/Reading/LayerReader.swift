import Graph

/// What a layer of a NeuralNetwork became.
public struct DecodedLayer: Sendable {
  /// What it computes.
  public var operation: any Operator
  /// The constants that it reads after the layer's own inputs, each with its role (“weights”).
  public var constants: [(role: String, value: Constant)]
  /// Whether the only output is the only constant: the network then holds the constant under the
  /// output's name, and no operator stands in between where none must.
  public var isConstant: Bool
  /// Whether the first output has no dimensions at all by the specification; see
  /// ``NetworkContext/scalars``.
  public var makesScalar: Bool

  /// An operator and its constants.
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

/// How one layer type of a NeuralNetwork becomes an operator.
public struct LayerReader: Sendable {
  /// The field of `NeuralNetworkLayer.layer`, `convolution`.
  public let field: String
  /// The operator that it becomes.
  public let type: any Operator.Type
  /// The layer's name in messages and listings, and what it computes; the operator's own unless one
  /// operator stands for several layers.
  public let declaration: OperatorDeclaration
  /// Reads a layer; throws an `invalidModel` error, made by ``LayerDecoder/invalid(_:)``, when it
  /// contradicts the specification.
  public let decode: @Sendable (LayerDecoder) throws -> DecodedLayer

  /// A reader of the layers of a field.
  public init(
    _ field: String, _ type: any Operator.Type, declaration: OperatorDeclaration? = nil,
    decode: @escaping @Sendable (LayerDecoder) throws -> DecodedLayer
  ) {
    self.field = field
    self.type = type
    self.declaration = declaration ?? type.declaration
    self.decode = decode
  }

  /// A reader of layers that have no weights.
  public init<Made: Operator>(
    _ field: String, _ operation: @escaping @Sendable (LayerDecoder) throws -> Made
  ) {
    self.init(field, Made.self) { DecodedLayer(try operation($0)) }
  }
}
