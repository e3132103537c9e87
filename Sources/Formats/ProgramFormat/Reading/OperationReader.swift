import Graph

/// Reads one operation of ML Programs as operators of the graph.
///
/// If opsets define an operation differently, the same reader reads all versions. It asks for
/// ``ProgramOperation/opset``.
package struct OperationReader: Sendable {
  /// Whether results must be rounded if the program stores them as `float16`.
  package enum Rounding: Sendable {
    /// The reader computes new numbers, so the results are rounded.
    case computed
    /// The results are elements of the inputs, or numbers that `float16` represents exactly. So they need no rounding.
    case exact
  }

  /// The operation's name, such as `conv`.
  package let name: String
  /// The first opset that has this operation.
  package let since: Opset
  /// The types of the graph's operators that the operation may become, for listings.
  package let operators: [any Operator.Type]
  /// Whether `float16` results must be rounded.
  package let rounding: Rounding
  /// Whether the operation writes a state and returns nothing. All other operations have an output.
  package let hasNoOutput: Bool
  /// Adds the operators to the graph and returns the results of the operation.
  package let read: @Sendable (ProgramOperation) throws -> [ProgramResult]

  /// Makes a reader of the operation with this name.
  package init(
    _ name: String, since: Opset = .iOS13, as operators: [any Operator.Type],
    _ rounding: Rounding = .computed, hasNoOutput: Bool = false,
    read: @escaping @Sendable (ProgramOperation) throws -> [ProgramResult]
  ) {
    self.name = name
    self.since = since
    self.operators = operators
    self.rounding = rounding
    self.hasNoOutput = hasNoOutput
    self.read = read
  }
}

/// A result of an operation.
package enum ProgramResult: Sendable {
  /// A value of the graph.
  case value(Graph.ValueID)
  /// A list of tensors, stored as one tensor with an additional first axis. `grows` says whether a write after the end
  /// of the list makes the list longer.
  case list(Graph.ValueID, grows: Bool)
  /// Constant numbers or strings. For numbers, the literal has the element type that they have in the program.
  case literal(ProgramLiteral)
  /// A value that already exists under another name.
  case same(ProgramValue)
}

/// All supported operations.
package struct OperationCatalog: Sendable {
  /// The families with their readers, in the order in which listings show them.
  package let families: [(name: String, readers: [OperationReader])]
  private let readers: [String: OperationReader]

  /// Makes a catalogue of these families. If two readers have the same name, that is a programming error.
  package init(_ families: [(name: String, readers: [OperationReader])]) {
    self.families = families
    readers = Dictionary(
      uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.name, $0) })
  }

  /// The names of all supported operations.
  package var names: Set<String> { Set(readers.keys) }

  /// The reader of the operation with this name. Nil if the operation is not supported.
  package subscript(name: String) -> OperationReader? { readers[name] }
}
