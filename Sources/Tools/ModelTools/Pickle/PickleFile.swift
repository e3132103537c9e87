import ModelFormat

/// What a pickle of weights holds: dictionaries, lists and tuples of numeric arrays, numbers and text.
///
/// A pickle is a program. This reader runs only its part that builds plain containers and NumPy
/// arrays, and refuses every other name before anything is made of it. Every length is checked
/// against the bytes that are left; arrays stay where they lie in the file.
///
/// **Source:** Python's `pickletools`, which describes each opcode of protocols 0 to 5.
public struct PickleFile: Sendable {
  /// A value on the stack, in a container, or the root.
  enum Value: Sendable, Equatable {
    case none
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case bytes(ByteValues)
    /// An index into ``PickleFile/objects``: containers may be changed after others hold them.
    case object(Int)
  }

  /// Something that is made first and filled later.
  struct Object: Sendable {
    enum Kind: Sendable, Equatable {
      case list
      case tuple
      /// Items are key, value, key, value, …
      case dictionary
      case function(AllowedName)
      case elementType(NumericArray.ElementType)
      case array(NumericArray?)
    }

    var kind: Kind
    var items: [Value] = []
  }

  /// The only names that a pickle may use.
  enum AllowedName: Sendable {
    case reconstruct
    case arrayClass
    case elementTypeClass
    case orderedDictionary

    init?(module: String, name: String) {
      switch (module, name) {
      case ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"):
        self = .reconstruct
      case ("numpy", "ndarray"): self = .arrayClass
      case ("numpy", "dtype"): self = .elementTypeClass
      case ("collections", "OrderedDict"): self = .orderedDictionary
      default: return nil
      }
    }
  }

  /// A step from a container to what it holds.
  public enum Step: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The value of a dictionary's key.
    case key(String)
    /// The item of a list or a tuple.
    case index(Int)

    /// A key.
    public init(stringLiteral value: String) { self = .key(value) }
    /// A position.
    public init(integerLiteral value: Int) { self = .index(value) }
  }

  /// What errors call the file.
  public let name: String
  let objects: [Object]
  let root: Value

  /// Reads a pickle. Throws ``ModelToolsError`` when it is damaged or asks for more than arrays.
  public init(_ bytes: ByteValues, name: String) throws {
    var machine = PickleMachine(bytes, name: name)
    root = try machine.run()
    objects = machine.objects
    self.name = name
  }

  /// The array at the end of a path; the error says where the path ends.
  public func array(_ path: Step...) throws -> NumericArray {
    try array(at: path)
  }

  /// The array at the end of a path; the error says where the path ends.
  public func array(at path: [Step]) throws -> NumericArray {
    var value: Value = root
    var walked: String = ""
    for step in path {
      guard let next = member(of: value, step) else {
        throw ModelToolsError(
          .badWeights, "Weights '\(name)': there is no \(step.words)\(walked); expected an array.")
      }
      value = next
      walked = " in \(step.words)" + walked
    }
    guard case .object(let index) = value, case .array(let array?) = objects[index].kind else {
      throw ModelToolsError(.badWeights, "Weights '\(name)': expected an array\(walked).")
    }
    return array
  }

  private func member(of value: Value, _ step: Step) -> Value? {
    guard case .object(let index) = value else { return nil }
    let items: [Value] = objects[index].items
    switch (objects[index].kind, step) {
    case (.dictionary, .key(let key)):
      // Later entries replace earlier ones, as in Python.
      for position in stride(from: items.count - 2, through: 0, by: -2)
      where items[position] == .text(key) {
        return items[position + 1]
      }
      return nil
    case (.list, .index(let position)), (.tuple, .index(let position)):
      return items.indices.contains(position) ? items[position] : nil
    default: return nil
    }
  }
}

extension PickleFile.Step {
  fileprivate var words: String {
    switch self {
    case .key(let key): return "'\(key)'"
    case .index(let index): return "item \(index)"
    }
  }
}
