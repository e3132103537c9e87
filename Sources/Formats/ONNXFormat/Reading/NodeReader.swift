import Graph

/// Reads one operator of ONNX as operators of the graph.
///
/// If opsets define an operator differently, the same reader reads all versions. It asks for ``ONNXNode/version``.
package struct NodeReader: Sendable {
  /// Whether results must be rounded if the model stores them as `float16` or `bfloat16`.
  package enum Rounding: Sendable {
    /// The reader computes new numbers, so the results are rounded.
    case computed
    /// The results are elements of the inputs, or numbers that the type represents exactly. So they need no rounding.
    case exact
  }

  /// The operator's name in ONNX, such as `Conv`.
  package let name: String
  /// The types of the graph's operators that the node may become, for listings.
  package let operators: [any Operator.Type]
  /// Whether results must be rounded to their type in the model.
  package let rounding: Rounding
  /// Adds operators to the graph and returns the results of the node. If the reader does not compute the last outputs
  /// of the node, it returns fewer results than the node has outputs.
  package let read: @Sendable (ONNXNode) throws -> [ONNXValue]

  /// Makes a reader of the operator with this name.
  package init(
    _ name: String, as operators: [any Operator.Type], _ rounding: Rounding = .computed,
    read: @escaping @Sendable (ONNXNode) throws -> [ONNXTensor]
  ) {
    self.name = name
    self.operators = operators
    self.rounding = rounding
    self.read = { try read($0).map { .tensor($0) } }
  }

  /// Makes a reader of an operator that takes or returns sequences.
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

/// All supported operators.
package struct NodeCatalog: Sendable {
  /// The families with their readers, in the order in which listings show them.
  package let families: [(name: String, readers: [NodeReader])]
  private let readers: [String: NodeReader]

  /// Makes a catalogue of these families. If two readers have the same name, that is a programming error.
  package init(_ families: [(name: String, readers: [NodeReader])]) {
    self.families = families
    readers = Dictionary(
      uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.name, $0) })
  }

  /// The names of all supported operators.
  package var names: Set<String> { Set(readers.keys) }

  /// The reader of the operator with this name. Nil if the operator is not supported.
  package subscript(name: String) -> NodeReader? { readers[name] }
}
