import Graph
import ModelFormat

/// A kind of layer that models may hold.
public struct ReadableLayer: Sendable {
  /// The field of `NeuralNetworkLayer.layer`: `convolution`.
  public let field: String
  /// The name in messages and listings, and what it computes.
  public let declaration: OperatorDeclaration
  /// The operator that it becomes.
  public let type: any Operator.Type
  /// The name of the operator's family.
  public let family: String
}

/// All layers that a network may use, found by their specification field.
public struct OperatorCatalog: Sendable {
  /// The families, in the order of listings.
  public let families: [OperatorFamily]
  private let readers: [String: LayerReader]
  /// The fields that a type is read from, in the order of listings.
  private let fieldsByType: [ObjectIdentifier: [String]]

  /// A catalogue of the families; a field listed twice is a mistake of ours.
  public init(families: [OperatorFamily], readers: [LayerReader] = []) {
    self.families = families
    self.readers = Dictionary(uniqueKeysWithValues: readers.map { ($0.field, $0) })
    var fields: [ObjectIdentifier: [String]] = [:]
    for reader in readers {
      fields[ObjectIdentifier(reader.type), default: []].append(reader.field)
    }
    fieldsByType = fields
  }

  /// All layer types, family by family.
  public var layers: [any Operator.Type] { families.flatMap(\.layers) }

  /// The fields that are read.
  public var fields: Set<String> { Set(readers.keys) }

  /// The fields that layers of a type are read from; none for operators that no model holds.
  public func fields(of type: any Operator.Type) -> [String] {
    fieldsByType[ObjectIdentifier(type)] ?? []
  }

  /// All layers that are read, family by family.
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

  /// Makes the layer that a message describes; the error names the layer.
  public func layer(for message: Spec.NeuralNetworkLayer, in network: NetworkContext) throws
    -> DecodedLayer
  {
    guard let kind = message.layer else {
      throw EngineError(
        .invalidModel,
        "Layer '\(message.name)' has no type that this version of the specification knows. The model may be newer than version 10, or the file corrupt."
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
