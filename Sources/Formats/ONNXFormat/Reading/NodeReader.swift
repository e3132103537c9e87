import Graph

/// How one operator of ONNX becomes operators of ours.
///
/// A redefinition of a later opset is a rule within the one reader: it asks ``ONNXNode/version``.
package struct NodeReader: Sendable {
  /// What happens to results that the model keeps as `float16` or `bfloat16`.
  package enum Rounding: Sendable {
    /// They are computed, and rounded.
    case computed
    /// They are elements of the inputs, or numbers that the type holds anyway.
    case exact
  }

  /// The operator's name: `Conv`.
  package let name: String
  /// The operators that it becomes, for listings.
  package let operators: [any Operator.Type]
  /// What happens to rounded results.
  package let rounding: Rounding
  /// Adds the operators to the graph and gives the results; fewer than the node names where the last are not
  /// computed.
  package let read: @Sendable (ONNXNode) throws -> [ONNXValue]

  /// A reader of the nodes of a name.
  package init(
    _ name: String, as operators: [any Operator.Type], _ rounding: Rounding = .computed,
    read: @escaping @Sendable (ONNXNode) throws -> [ONNXTensor]
  ) {
    self.name = name
    self.operators = operators
    self.rounding = rounding
    self.read = { try read($0).map { .tensor($0) } }
  }

  /// A reader of nodes that take or give sequences.
  package init(
    sequences name: String, as operators: [any Operator.Type],
    read: @escaping @Sendable (ONNXNode) throws -> [ONNXValue]
  ) {
    self.name = name
    self.operators = operators
    rounding = .exact
    self.read = read
  }
}

/// All operators that a model may use.
package struct NodeCatalog: Sendable {
  /// The families with their readers, in the order of listings.
  package let families: [(name: String, readers: [NodeReader])]
  private let readers: [String: NodeReader]

  /// A catalogue of families; an operator that is listed twice is a mistake of ours.
  package init(_ families: [(name: String, readers: [NodeReader])]) {
    self.families = families
    readers = Dictionary(
      uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.name, $0) })
  }

  /// The names of all operators.
  package var names: Set<String> { Set(readers.keys) }

  /// The reader of an operator.
  package subscript(name: String) -> NodeReader? { readers[name] }
}
