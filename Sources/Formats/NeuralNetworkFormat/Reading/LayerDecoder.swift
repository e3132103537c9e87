import Graph
import ModelFormat

/// How a NeuralNetwork maps its declared inputs to the arrays that its layers see.
///
/// **Source:** `NeuralNetworkMultiArrayShapeMapping` and `NeuralNetworkImageShapeMapping`.
public enum ArrayMapping: Sendable, Hashable {
  /// Every array has five dimensions, `[sequence, batch, C, H, W]` (models up to version 3).
  case rank5
  /// Arrays have the rank that the model declares; pictures are `[1, C, H, W]`.
  case exact
}

/// What a layer's initialiser reads: the specification message and the network around it.
public struct LayerDecoder: Sendable {
  /// The message.
  public let message: Spec.NeuralNetworkLayer
  /// What is the same for all layers of the network.
  public let network: NetworkContext

  /// A decoder over one layer of a network.
  public init(_ message: Spec.NeuralNetworkLayer, network: NetworkContext) {
    self.message = message
    self.network = network
  }

  /// The layer's name in the model.
  public var name: String { message.name }
  /// The number of inputs that the model connects.
  public var inputCount: Int { message.input.count }
  /// The number of outputs that the model names.
  public var outputCount: Int { message.output.count }
  /// How declared inputs map to arrays.
  public var mapping: ArrayMapping { network.mapping }

  /// An error that the model contradicts the specification; the layer's name goes in front.
  public func invalid(_ sentence: String) -> EngineError {
    EngineError(.invalidModel, sentence)
  }

  /// Checks the number of inputs.
  public func requireInputs(_ range: ClosedRange<Int>) throws {
    guard range.contains(inputCount) else {
      let expected =
        range.count == 1
        ? "\(range.lowerBound)"
        : range.upperBound == Int.max
          ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
      throw invalid("the layer has \(inputCount) inputs, expected \(expected).")
    }
  }

  /// A non-negative size from the file as `Int`, refused above 2³¹ so that products of a few stay
  /// in range.
  public func size(_ value: UInt64, _ field: String) throws -> Int {
    guard value <= UInt64(Int32.max) else {
      throw invalid("\(field) is \(value), more than any tensor can have. The file may be corrupt.")
    }
    return Int(value)
  }

  /// A signed number from the file as `Int`, refused beyond ±2³¹.
  public func integer(_ value: Int64, _ field: String) throws -> Int {
    guard value.magnitude <= UInt64(Int32.max) else {
      throw invalid("\(field) is \(value), out of any tensor's range. The file may be corrupt.")
    }
    return Int(value)
  }
}

/// What is the same for all layers of a network.
public struct NetworkContext: Sendable {
  /// How declared inputs map to arrays.
  public var mapping: ArrayMapping
  /// Makes the implementation of a custom layer; throws `customLayer` when there is none.
  public var makeCustomLayer: CustomLayerFactory
  /// The layers that nested networks may use.
  public var catalog: OperatorCatalog
  /// The number of branches and loops around.
  public var nesting = 0
  /// Whether the body of a loop is around.
  public var isInsideLoop = false
  /// The names of values that have no dimensions by the specification; they are kept as one axis of one
  /// element.
  public internal(set) var scalars: Set<String> = []
  /// The names that nested networks share with others; nil when all are.
  package var sharedNames: Set<String>?

  /// Whether a nested network's value of this name may be read outside of it.
  package func isShared(_ name: String) -> Bool { sharedNames?.contains(name) ?? true }

  /// A context; without a factory every custom layer is missing.
  public init(
    mapping: ArrayMapping, catalog: OperatorCatalog = OperatorCatalog(families: []),
    makeCustomLayer: @escaping CustomLayerFactory = NetworkContext.noCustomLayers
  ) {
    self.mapping = mapping
    self.catalog = catalog
    self.makeCustomLayer = makeCustomLayer
  }

  /// The factory that knows no class: the error is Apple's.
  public static let noCustomLayers: CustomLayerFactory = { request in
    throw EngineError(
      .customLayer,
      "Error creating Core ML custom layer implementation from factory for layer \"\(request.className)\"."
    )
  }
}
