import Engine
import Operators
import ProgramFormat

/// Lists the supported layers of neural networks and operations of ML Programs, from the catalogues.
public struct LayerListing: Encodable, Sendable {
  /// A layer.
  public struct Entry: Encodable, Sendable {
    /// The layer's field in the specification, such as `convolution`.
    public let specification: String
    /// The layer's name.
    public let name: String
    /// What the layer computes, in one line.
    public let summary: String
    /// Whether the layer computes the gradients of its inputs. If so, layers before it can be trained.
    public let isDifferentiable: Bool

    /// Creates the entry of a layer.
    init(_ layer: ReadableLayer) {
      specification = layer.field
      name = layer.declaration.name
      summary = layer.declaration.summary
      isDifferentiable = layer.type is any DifferentiableOperator.Type
    }
  }

  /// A family of layers.
  public struct Family: Encodable, Sendable {
    /// The name of the family.
    public let name: String
    /// The family's layers that Atelier can read from a model file.
    public let layers: [Entry]
  }

  /// An operation of ML Programs.
  public struct Operation: Encodable, Sendable {
    /// The name of the operation, such as `conv`.
    public let name: String
    /// The first release of iOS in which Core ML has the operation.
    public let since: Int
    /// The names of the operators to which the operation is converted.
    public let operators: [String]
  }

  /// A family of operations.
  public struct ProgramFamily: Encodable, Sendable {
    /// The name of the family.
    public let name: String
    /// The operations of the family.
    public let operations: [Operation]
  }

  /// The families of layers.
  public let families: [Family]
  /// The families of operations of ML Programs.
  public let programs: [ProgramFamily]

  /// Lists a catalogue, and the operations of ML Programs.
  public init(_ catalog: OperatorCatalog) {
    programs = OperationCatalog.standard.families.map { family in
      ProgramFamily(
        name: family.name,
        operations: family.readers.map { reader in
          Operation(
            name: reader.name, since: reader.since.rawValue,
            operators: reader.operators.map { $0.declaration.name })
        })
    }
    let layers: [ReadableLayer] = catalog.readableLayers
    families = catalog.families.map { family in
      Family(name: family.name, layers: layers.filter { $0.family == family.name }.map(Entry.init))
    }.filter { !$0.layers.isEmpty }
  }

  /// How many layers there are.
  public var count: Int { families.reduce(0) { $0 + $1.layers.count } }

  /// How many operations of ML Programs there are.
  public var operationCount: Int { programs.reduce(0) { $0 + $1.operations.count } }
}
