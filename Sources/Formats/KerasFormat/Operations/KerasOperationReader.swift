/// How an operation on tensors becomes operators.
struct KerasOperationReader: Sendable {
  /// Its names: `true_divide`, and `truediv`, as TensorFlow calls it.
  let names: [String]
  /// Its parameters in the order of their places, each with all names that it has; the first one is ours.
  let parameters: [[String]]
  /// Parameters that change nothing.
  let harmless: Set<String>
  /// Adds the operators and gives what they make.
  let read: @Sendable (KerasOperation) throws -> [KerasTensor]

  /// A reader of an operation that makes one tensor.
  ///
  /// - Parameter parameters: `x|input axis`: names divided by lines, parameters by spaces.
  init(
    _ names: String..., parameters: String, harmless: Set<String> = [],
    read: @escaping @Sendable (KerasOperation) throws -> KerasTensor
  ) {
    self.init(list: names, parameters: parameters, harmless: harmless, read: read)
  }

  /// A reader of an operation that makes several tensors.
  init(
    several names: String..., parameters: String, harmless: Set<String> = [],
    read: @escaping @Sendable (KerasOperation) throws -> [KerasTensor]
  ) {
    self.names = names
    self.parameters = Self.parsed(parameters)
    self.harmless = harmless
    self.read = read
  }

  /// A reader of an operation whose names are in a list.
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

  /// Our name of a parameter; nil where there is none.
  func parameter(named name: String) -> String? {
    parameters.first { $0.contains(name) }?[0]
  }

  /// All operations that are read, by families.
  static let families: [[KerasOperationReader]] = [
    arithmetic, functions, activations, reductions, shaping, joining, slicing, pictures,
  ]

  /// The readers by name.
  static let all: [String: KerasOperationReader] = Dictionary(
    families.flatMap { $0 }.flatMap { reader in reader.names.map { ($0, reader) } }
  ) { first, _ in first }
}
