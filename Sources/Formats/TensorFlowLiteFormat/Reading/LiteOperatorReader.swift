import Graph

/// Reads one of TensorFlow Lite's operators as operators of the graph.
package struct LiteOperatorReader: Sendable {
  /// The axis order in which a reader needs tensors of four axes.
  package enum Order: Sendable {
    /// The inputs with these indices are channels-first images.
    case pictures([Int])
    /// The operator accepts any axis order. Its outputs have the axis order of its inputs.
    case any
    /// The operator needs the file's axis order.
    case written
  }

  /// The operator's name in the format, such as `CONV_2D`.
  package let name: String
  /// The axis order in which the reader needs tensors of four axes.
  package let order: Order
  /// Whether the operator is a custom operator.
  package let isCustom: Bool
  /// Adds the operators to the graph, and returns the results of the file's operator.
  let read: @Sendable (LiteOperation) throws -> [LiteResult]

  /// Makes a reader of the operator with this name.
  init(
    _ name: String, _ order: Order = .written, isCustom: Bool = false,
    read: @escaping @Sendable (LiteOperation) throws -> [LiteResult]
  ) {
    self.name = name
    self.order = order
    self.isCustom = isCustom
    self.read = read
  }
}

/// All supported operators.
package struct LiteOperatorTable: Sendable {
  /// The families with their readers, in listing order.
  package let families: [(name: String, readers: [LiteOperatorReader])]
  private let readers: [String: LiteOperatorReader]

  /// Makes a table of these families. If two readers have the same name, that is a programming error.
  init(_ families: [(name: String, readers: [LiteOperatorReader])]) {
    self.families = families
    readers = Dictionary(
      uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.name, $0) })
  }

  /// The names of all supported operators.
  package var names: Set<String> { Set(readers.keys) }

  /// The reader of an operator. Nil if the operator is not supported.
  subscript(operation: LiteModel.Operation) -> LiteOperatorReader? {
    guard let reader = readers[operation.kind],
      reader.isCustom == (operation.code == LiteOperatorNames.custom)
    else { return nil }
    return reader
  }
}
