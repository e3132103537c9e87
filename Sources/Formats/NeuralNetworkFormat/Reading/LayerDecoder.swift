import Graph
import ModelFormat

/// How a NeuralNetwork maps its declared inputs to the arrays that its layers read.
///
/// **Source:** `NeuralNetworkMultiArrayShapeMapping` and `NeuralNetworkImageShapeMapping`.
public enum ArrayMapping: Sendable, Hashable {
  /// Every array has five dimensions, `[sequence, batch, C, H, W]`. Models up to version 3 use this mapping.
  case rank5
  /// Arrays have the rank that the model declares. Images are `[1, C, H, W]`.
  case exact
}

/// The source from which an operator's initialiser reads: the message of one layer in the file, and the context of the
/// network that contains the layer.
public struct LayerDecoder: Sendable {
  /// The layer as the specification defines it.
  public let message: Spec.NeuralNetworkLayer
  /// The context that all layers of the network share.
  public let network: NetworkContext

  /// Makes a decoder of one layer of a network.
  public init(_ message: Spec.NeuralNetworkLayer, network: NetworkContext) {
    self.message = message
    self.network = network
  }

  /// The layer's name in the model.
  public var name: String { message.name }
  /// The number of inputs that the layer's message lists.
  public var inputCount: Int { message.input.count }
  /// The number of outputs that the layer's message lists.
  public var outputCount: Int { message.output.count }
  /// How the model's declared inputs map to the arrays that the layers read.
  public var mapping: ArrayMapping { network.mapping }

  /// Returns an error for a model that contradicts the specification. `sentence` says how. `OperatorCatalog` adds the
  /// layer's name.
  public func invalid(_ sentence: String) -> EngineError {
    EngineError(.invalidModel, sentence)
  }

  /// Throws if the number of the layer's inputs is not in this range.
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

  /// Returns a size from the file as `Int`. Throws for sizes of 2³¹ or more, so that the product of two sizes cannot
  /// overflow.
  public func size(_ value: UInt64, _ field: String) throws -> Int {
    guard value <= UInt64(Int32.max) else {
      throw invalid("\(field) is \(value), more than any tensor can have. The file may be corrupt.")
    }
    return Int(value)
  }

  /// Returns a signed number from the file as `Int`. Throws for numbers whose magnitude is 2³¹ or more.
  public func integer(_ value: Int64, _ field: String) throws -> Int {
    guard value.magnitude <= UInt64(Int32.max) else {
      throw invalid("\(field) is \(value), out of any tensor's range. The file may be corrupt.")
    }
    return Int(value)
  }
}

/// The context that all layers of a network share.
public struct NetworkContext: Sendable {
  /// How the model's declared inputs map to the arrays that the layers read.
  public var mapping: ArrayMapping
  /// Makes the implementation of a custom layer. Throws `customLayer` if it knows no implementation.
  public var makeCustomLayer: CustomLayerFactory
  /// The layers that nested networks may use.
  public var catalog: OperatorCatalog
  /// The number of branches and loops that enclose the network.
  public var nesting = 0
  /// Whether the network is inside the body of a loop.
  public var isInsideLoop = false
  /// The names of values that are scalars by the specification. The graph stores such a value with one axis of one
  /// element.
  public internal(set) var scalars: Set<String> = []
  /// The names that one network writes and another network reads. The networks are the outer network and all networks
  /// in its branches and loops. Nil means all names.
  package var sharedNames: Set<String>?

  /// Returns whether other networks may read the value that a nested network writes under this name.
  package func isShared(_ name: String) -> Bool { sharedNames?.contains(name) ?? true }

  /// Makes a context. If no factory for custom layers is given, reading any custom layer fails.
  public init(
    mapping: ArrayMapping, catalog: OperatorCatalog = OperatorCatalog(families: []),
    makeCustomLayer: @escaping CustomLayerFactory = NetworkContext.noCustomLayers
  ) {
    self.mapping = mapping
    self.catalog = catalog
    self.makeCustomLayer = makeCustomLayer
  }

  /// A factory that knows no class. The text of its error is Apple's.
  public static let noCustomLayers: CustomLayerFactory = { request in
    throw EngineError(
      .customLayer,
      "Error creating Core ML custom layer implementation from factory for layer \"\(request.className)\"."
    )
  }
}
