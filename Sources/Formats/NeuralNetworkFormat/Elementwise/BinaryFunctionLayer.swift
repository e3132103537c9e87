import Graph
import ModelFormat
import Operators

/// A layer type that computes one ``BinaryFunction``.
package struct BinaryFunctionLayer: Sendable {
  /// The field of `NeuralNetworkLayer.layer` that holds this layer type.
  package let field: String
  /// The function that the layer computes.
  package let function: BinaryFunction
  /// Makes the layer. If `number` is given, the layer has a single input and compares the input with the number.
  /// Returns nil if this layer type cannot hold a number.
  package let layer: @Sendable (_ number: Float?) -> Spec.NeuralNetworkLayer.OneOfLayer?
  /// Returns the number that a layer holds. Nil if this layer type cannot hold a number.
  let number: (@Sendable (Spec.NeuralNetworkLayer.OneOfLayer) -> Float?)?

  /// All layer types, in the order in which listings show them.
  package static let all: [BinaryFunctionLayer] = [
    BinaryFunctionLayer("addBroadcastable", .add, .addBroadcastable(.init())),
    BinaryFunctionLayer("subtractBroadcastable", .subtract, .subtractBroadcastable(.init())),
    BinaryFunctionLayer("multiplyBroadcastable", .multiply, .multiplyBroadcastable(.init())),
    BinaryFunctionLayer("divideBroadcastable", .divide, .divideBroadcastable(.init())),
    BinaryFunctionLayer("maxBroadcastable", .maximum, .maxBroadcastable(.init())),
    BinaryFunctionLayer("minBroadcastable", .minimum, .minBroadcastable(.init())),
    BinaryFunctionLayer("modBroadcastable", .modulo, .modBroadcastable(.init())),
    BinaryFunctionLayer("floorDivBroadcastable", .floorDivide, .floorDivBroadcastable(.init())),
    BinaryFunctionLayer("powBroadcastable", .power, .powBroadcastable(.init())),
    BinaryFunctionLayer("equal", .isEqual, { .equal($0) }) {
      if case .equal(let it) = $0 { it } else { nil }
    },
    BinaryFunctionLayer("notEqual", .isNotEqual, { .notEqual($0) }) {
      if case .notEqual(let it) = $0 { it } else { nil }
    },
    BinaryFunctionLayer("lessThan", .isLess, { .lessThan($0) }) {
      if case .lessThan(let it) = $0 { it } else { nil }
    },
    BinaryFunctionLayer("lessEqual", .isAtMost, { .lessEqual($0) }) {
      if case .lessEqual(let it) = $0 { it } else { nil }
    },
    BinaryFunctionLayer("greaterThan", .isGreater, { .greaterThan($0) }) {
      if case .greaterThan(let it) = $0 { it } else { nil }
    },
    BinaryFunctionLayer("greaterEqual", .isAtLeast, { .greaterEqual($0) }) {
      if case .greaterEqual(let it) = $0 { it } else { nil }
    },
    BinaryFunctionLayer("logicalAnd", .logicalAnd, .logicalAnd(.init())),
    BinaryFunctionLayer("logicalOr", .logicalOr, .logicalOr(.init())),
    BinaryFunctionLayer("logicalXor", .logicalXor, .logicalXor(.init())),
  ]

  /// Makes a layer type whose layers have two inputs.
  private init(
    _ field: String, _ function: BinaryFunction, _ layer: Spec.NeuralNetworkLayer.OneOfLayer
  ) {
    self.field = field
    self.function = function
    self.layer = { $0 == nil ? layer : nil }
    number = nil
  }

  /// Makes a layer type whose layers have two inputs, or one input and a number.
  private init<Message: NumberMessage>(
    _ field: String, _ function: BinaryFunction,
    _ write: @escaping @Sendable (Message) -> Spec.NeuralNetworkLayer.OneOfLayer,
    _ read: @escaping @Sendable (Spec.NeuralNetworkLayer.OneOfLayer) -> Message?
  ) {
    self.field = field
    self.function = function
    layer = { number in
      var message = Message()
      message.alpha = number ?? 0
      return write(message)
    }
    number = { read($0)?.alpha }
  }

  /// The reader of this layer type. If a layer has one input, the reader also reads the layer's number.
  var reader: LayerReader {
    LayerReader(
      field, BinaryFunctionOperator.self,
      declaration: OperatorDeclaration(function.name, summary: function.summary)
    ) { decoder in
      try decoder.requireInputs((number == nil ? 2 : 1)...2)
      let right: Float? =
        decoder.inputCount == 1 ? decoder.message.layer.flatMap { number?($0) } : nil
      return DecodedLayer(BinaryFunctionOperator(function, number: right))
    }
  }
}

/// The parameters of a comparison layer.
private protocol NumberMessage: SendableMetatype {
  init()
  var alpha: Float { get set }
}

extension Spec.EqualLayerParams: NumberMessage {}
extension Spec.NotEqualLayerParams: NumberMessage {}
extension Spec.LessThanLayerParams: NumberMessage {}
extension Spec.LessEqualLayerParams: NumberMessage {}
extension Spec.GreaterThanLayerParams: NumberMessage {}
extension Spec.GreaterEqualLayerParams: NumberMessage {}

extension BinaryFunctionOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let row = BinaryFunctionLayer.all.first { $0.function == function }
    guard let layer = row?.layer(number) else {
      let operand: String = number.map { " with the number \($0)" } ?? ""
      throw EngineError(
        .unsupported, "no layer of a NeuralNetwork computes \(function.summary)\(operand).")
    }
    encoder.layer.layer = layer
  }
}
