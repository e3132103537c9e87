import Engine
import Operators
import ProgramFormat

/// The layers of neural networks and the operations of ML Programs that are supported, from the catalogues.
public struct LayerListing: Encodable, Sendable {
  /// A layer.
  public struct Entry: Encodable, Sendable {
    /// The field of the specification: `convolution`.
    public let specification: String
    /// The layer's name.
    public let name: String
    /// One line: what it computes.
    public let summary: String
    /// Whether its inputs have gradients, so that layers in front of it can be trained.
    public let isDifferentiable: Bool

    /// The entry of a layer.
    init(_ layer: ReadableLayer) {
      specification = layer.field
      name = layer.declaration.name
      summary = layer.declaration.summary
      isDifferentiable = layer.type is any DifferentiableOperator.Type
    }
  }

  /// A family of layers.
  public struct Family: Encodable, Sendable {
    /// Its name.
    public let name: String
    /// Its layers that models may use.
    public let layers: [Entry]
  }

  /// An operation of ML Programs.
  public struct Operation: Encodable, Sendable {
    /// Its name: `conv`.
    public let name: String
    /// The release of iOS since which Core ML has it.
    public let since: Int
    /// The operators that it becomes.
    public let operators: [String]
  }

  /// A family of operations.
  public struct ProgramFamily: Encodable, Sendable {
    /// Its name.
    public let name: String
    /// Its operations.
    public let operations: [Operation]
  }

  /// The families.
  public let families: [Family]
  /// The families of operations.
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
