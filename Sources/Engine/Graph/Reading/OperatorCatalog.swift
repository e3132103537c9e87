import ModelFormat

/// A group of related layers; lists the types that live in its folder.
public struct OperatorFamily: Sendable {
  /// The family's name, that of its folder.
  public let name: String
  /// Its layers, in the order of listings.
  public let layers: [any Operator.Type]

  /// A family.
  public init(_ name: String, _ layers: [any Operator.Type]) {
    self.name = name
    self.layers = layers
  }
}

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
  private let bySpecification: [String: any Operator.Type]
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
    var table: [String: any Operator.Type] = [:]
    for layer in families.flatMap(\.layers) {
      guard let field = layer.declaration.specification else { continue }
      precondition(table[field] == nil, "two layers decode \(field)")
      table[field] = layer
      fields[ObjectIdentifier(layer), default: []].append(field)
    }
    bySpecification = table
    fieldsByType = fields
  }

  /// All layer types, family by family.
  public var layers: [any Operator.Type] { families.flatMap(\.layers) }

  /// The fields that are read.
  public var fields: Set<String> { Set(readers.keys).union(bySpecification.keys) }

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

  /// The layer type that decodes a specification field, if there is one.
  public subscript(specification field: String) -> (any Operator.Type)? { bySpecification[field] }

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
    if let reader = readers[kind.fieldName] {
      do {
        return try reader.decode(LayerDecoder(message, network: network))
      } catch let error as EngineError {
        throw error.naming(reader.declaration.name, message.name)
      }
    }
    guard let type = self[specification: kind.fieldName] as? any NeuralNetworkLayer.Type else {
      throw EngineError(
        .unsupported,
        "Layer '\(message.name)' is of type \(kind.fieldName), which is not supported yet; `atelier layers` lists those that are."
      )
    }
    do {
      return try type.decode(LayerDecoder(message, network: network))
    } catch let error as EngineError {
      throw error.naming(type.declaration.name, message.name)
    }
  }
}

extension EngineError {
  /// The same error with the layer in front: “Convolution 'conv2_1': …”. A sentence that names the
  /// layer already, is Apple's own, or speaks of the whole run stays as it is.
  public func naming(_ kind: String, _ name: String) -> EngineError {
    let isAboutTheRun = code == .cancelled || code == .timedOut
    if isAboutTheRun || code == .customLayer || message.contains("'\(name)'") { return self }
    return EngineError(code, "\(kind) '\(name)': \(message)")
  }
}

extension Spec.NeuralNetworkLayer.OneOfLayer {
  /// The name of the specification's field, `convolution`.
  public var fieldName: String { Mirror(reflecting: self).children.first?.label ?? "" }
}
