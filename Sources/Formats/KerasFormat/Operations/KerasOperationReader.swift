/// Reads an operation on tensors as operators of the graph.
struct KerasOperationReader: Sendable {
  /// The names of the operation, such as Keras's `true_divide` and TensorFlow's `truediv`.
  let names: [String]
  /// The operation's parameters by position, each with all its names. Readers ask for a parameter by the first of its
  /// names.
  let parameters: [[String]]
  /// The names of parameters that have no effect on the result.
  let harmless: Set<String>
  /// Adds the operators of an operation and returns its outputs.
  let read: @Sendable (KerasOperation) throws -> [KerasTensor]

  /// Makes a reader of an operation with one output.
  ///
  /// - Parameter parameters: The parameters, such as `x|input axis`. Spaces separate parameters, bars separate the
  ///   names of one parameter.
  init(
    _ names: String..., parameters: String, harmless: Set<String> = [],
    read: @escaping @Sendable (KerasOperation) throws -> KerasTensor
  ) {
    self.init(list: names, parameters: parameters, harmless: harmless, read: read)
  }

  /// Makes a reader of an operation with several outputs.
  init(
    several names: String..., parameters: String, harmless: Set<String> = [],
    read: @escaping @Sendable (KerasOperation) throws -> [KerasTensor]
  ) {
    self.names = names
    self.parameters = Self.parsed(parameters)
    self.harmless = harmless
    self.read = read
  }

  /// Makes a reader of an operation. Takes the operation's names as a list.
  init(
    list names: [String], parameters: String, harmless: Set<String> = [],
    read: @escaping @Sendable (KerasOperation) throws -> KerasTensor
  ) {
    self.names = names
    self.parameters = Self.parsed(parameters)
    self.harmless = harmless
    self.read = { [try read($0)] }
  }

  private static func parsed(_ parameters: String) -> [[String]] {
    parameters.split(separator: " ").map { $0.split(separator: "|").map(String.init) }
  }

  /// Returns the first name of the parameter that has `name` among its names. Nil if there is no such parameter.
  func parameter(named name: String) -> String? {
    parameters.first { $0.contains(name) }?[0]
  }

  /// All supported operations, by family.
  static let families: [[KerasOperationReader]] = [
    arithmetic, functions, activations, reductions, shaping, joining, slicing, pictures,
  ]

  /// The readers by name.
  static let all: [String: KerasOperationReader] = Dictionary(
    families.flatMap { $0 }.flatMap { reader in reader.names.map { ($0, reader) } }
  ) { first, _ in first }
}
