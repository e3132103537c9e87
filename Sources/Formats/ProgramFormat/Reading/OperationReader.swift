import Graph

/// How one operation of ML Programs becomes operators.
///
/// A redefinition of a later opset is a rule within the one reader: it asks ``ProgramOperation/opset``.
package struct OperationReader: Sendable {
  /// What happens to results that the program writes as `float16`.
  package enum Rounding: Sendable {
    /// They are computed, and rounded.
    case computed
    /// They are elements of the inputs, or numbers that `float16` holds anyway: nothing is to be rounded.
    case exact
  }

  /// The operation's name: `conv`.
  package let name: String
  /// The first opset that has it.
  package let since: Opset
  /// The operators that it becomes, for listings.
  package let operators: [any Operator.Type]
  /// What happens to results of `float16`.
  package let rounding: Rounding
  /// Whether it changes a state and gives nothing; all others have an output.
  package let givesNothing: Bool
  /// Adds the operators to the graph and gives the results.
  package let read: @Sendable (ProgramOperation) throws -> [ProgramResult]

  /// A reader of the operations of a name.
  package init(
    _ name: String, since: Opset = .iOS13, as operators: [any Operator.Type],
    _ rounding: Rounding = .computed, givesNothing: Bool = false,
    read: @escaping @Sendable (ProgramOperation) throws -> [ProgramResult]
  ) {
    self.name = name
    self.since = since
    self.operators = operators
    self.rounding = rounding
    self.givesNothing = givesNothing
    self.read = read
  }
}

/// What an operation makes.
package enum ProgramResult: Sendable {
  /// A value of the graph.
  case value(Graph.ValueID)
  /// A list of tensors, kept as one tensor with a leading axis.
  case list(Graph.ValueID, grows: Bool)
  /// Numbers or strings that the program states; the written element type comes with numbers.
  case literal(ProgramLiteral)
  /// What a name stands for already.
  case same(ProgramValue)
}

/// All operations that a program may use.
package struct OperationCatalog: Sendable {
  /// The families with their readers, in the order of listings.
  package let families: [(name: String, readers: [OperationReader])]
  private let readers: [String: OperationReader]

  /// A catalogue of families; an operation that is listed twice is a mistake of ours.
  package init(_ families: [(name: String, readers: [OperationReader])]) {
    self.families = families
    readers = Dictionary(
      uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.name, $0) })
  }

  /// The names of all operations.
  package var names: Set<String> { Set(readers.keys) }

  /// The reader of an operation.
  package subscript(name: String) -> OperationReader? { readers[name] }
}
