import Graph

/// How one kind of TensorFlow Lite's operators becomes operators of the graph.
package struct LiteOperatorReader: Sendable {
  /// In which order it reads and makes tensors of four axes.
  package enum Order: Sendable {
    /// Some of its inputs are pictures.
    case pictures([Int])
    /// It takes them as they are and makes them in the same order.
    case any
    /// It needs the file's order.
    case written
  }

  /// The kind's name in the format: `CONV_2D`.
  package let name: String
  /// In which order it reads and makes tensors of four axes.
  package let order: Order
  /// Whether the kind is known by its name alone.
  package let isCustom: Bool
  /// Adds the operators to the graph and gives the results.
  let read: @Sendable (LiteOperation) throws -> [LiteResult]

  /// A reader of the operators of a name.
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

/// All operators that a file may use.
package struct LiteOperatorTable: Sendable {
  /// The families with their readers, in the order of listings.
  package let families: [(name: String, readers: [LiteOperatorReader])]
  private let readers: [String: LiteOperatorReader]

  /// A table of families; a kind that is listed twice is a mistake of ours.
  init(_ families: [(name: String, readers: [LiteOperatorReader])]) {
    self.families = families
    readers = Dictionary(
      uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.name, $0) })
  }

  /// The names of all kinds.
  package var names: Set<String> { Set(readers.keys) }

  /// The reader of an operator of a file.
  subscript(operation: LiteModel.Operation) -> LiteOperatorReader? {
    guard let reader = readers[operation.kind],
      reader.isCustom == (operation.code == LiteOperatorNames.custom)
    else { return nil }
    return reader
  }
}
