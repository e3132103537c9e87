import Graph
import ModelFormat

/// A layer type that Atelier can read.
public struct ReadableLayer: Sendable {
  /// The field of `NeuralNetworkLayer.layer` that holds this layer type, such as `convolution`.
  public let field: String
  /// The name of the layer type in messages and listings, and its summary.
  public let declaration: OperatorDeclaration
  /// The operator that the layer becomes.
  public let type: any Operator.Type
  /// The name of the operator's family.
  public let family: String
}

/// All layer types that a network may use. The keys are fields of `NeuralNetworkLayer.layer`.
public struct OperatorCatalog: Sendable {
  /// The families, in the order in which listings show them.
  public let families: [OperatorFamily]
  private let readers: [String: LayerReader]
  /// For each operator type, the fields whose layers become this operator, in the order in which listings show them.
  private let fieldsByType: [ObjectIdentifier: [String]]

  /// Makes a catalogue of these families and readers. If two readers have the same field, that is a programming error.
  public init(families: [OperatorFamily], readers: [LayerReader] = []) {
    self.families = families
    self.readers = Dictionary(uniqueKeysWithValues: readers.map { ($0.field, $0) })
    var fields: [ObjectIdentifier: [String]] = [:]
    for reader in readers {
      fields[ObjectIdentifier(reader.type), default: []].append(reader.field)
    }
    fieldsByType = fields
  }

  /// The operator types of all families, family by family.
  public var layers: [any Operator.Type] { families.flatMap(\.layers) }

  /// The fields that have a reader.
  public var fields: Set<String> { Set(readers.keys) }

  /// Returns the fields whose layers become this operator type. Empty if no layer becomes it.
  public func fields(of type: any Operator.Type) -> [String] {
    fieldsByType[ObjectIdentifier(type)] ?? []
  }

  /// All layer types that have a reader, family by family.
  public var readableLayers: [ReadableLayer] {
    families.flatMap { family in
      family.layers.flatMap { type in
        fields(of: type).map { field in
          ReadableLayer(
            field: field, declaration: readers[field]?.declaration ?? type.declaration, type: type,
            family: family.name)
        }
      }
    }
  }

  /// Makes the operator for a layer's message. If that fails, the error names the layer.
  public func layer(for message: Spec.NeuralNetworkLayer, in network: NetworkContext) throws
    -> DecodedLayer
  {
    guard let kind = message.layer else {
      throw EngineError(
        .invalidModel,
        "Layer '\(message.name)' has no type that specification version 10 defines. The model may be newer, or the file corrupt."
      )
    }
    guard let reader = readers[kind.fieldName] else {
      throw EngineError(
        .unsupported,
        "Layer '\(message.name)' is of type \(kind.fieldName), which is not supported yet; `atelier layers` lists those that are."
      )
    }
    do {
      return try reader.decode(LayerDecoder(message, network: network))
    } catch let error as EngineError {
      throw error.naming(reader.declaration.name, message.name)
    }
  }
}
