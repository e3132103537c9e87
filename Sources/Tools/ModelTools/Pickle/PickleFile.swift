import ModelFormat

/// The content of a pickle of weights: dictionaries, lists and tuples of numeric arrays, numbers and text.
///
/// A pickle is a program for a stack machine. This reader runs only the opcodes that build plain containers and NumPy
/// arrays. It refuses all names of classes and functions that plain containers and NumPy arrays do not need. It checks
/// every length against the remaining bytes. Arrays stay in the mapped file.
///
/// **Source:** Python's `pickletools`, which describes each opcode of protocols 0 to 5.
public struct PickleFile: Sendable {
  /// A value on the machine's stack, an item of a container, or the root.
  enum Value: Sendable, Equatable {
    case none
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case bytes(ByteValues)
    /// A container or array, as an index into ``PickleFile/objects``. The value does not contain the object itself,
    /// because the pickle may change an object after other objects refer to it.
    case object(Int)
  }

  /// An object that is created first and filled later.
  struct Object: Sendable {
    enum Kind: Sendable, Equatable {
      case list
      case tuple
      /// A dictionary. Its items are key, value, key, value, ….
      case dictionary
      case function(AllowedName)
      case elementType(NumericArray.ElementType)
      case array(NumericArray?)
      /// A storage of PyTorch, whose numbers follow the pickle in the file.
      case storage(TorchStorage)
      /// A tensor of PyTorch, whose elements are in a storage.
      case tensor(TorchTensor)
    }

    var kind: Kind
    var items: [Value] = []
  }

  /// The only names of classes and functions that a pickle may use.
  enum AllowedName: Sendable {
    case reconstruct
    case arrayClass
    case elementTypeClass
    case orderedDictionary
    case rebuildTensor
    case floatStorage

    /// Nil if the name is refused. The names of PyTorch are refused unless `allowsTensors` is set.
    init?(module: String, name: String, allowsTensors: Bool) {
      switch (module, name) {
      case ("torch._utils", "_rebuild_tensor_v2") where allowsTensors: self = .rebuildTensor
      case ("torch", "FloatStorage") where allowsTensors: self = .floatStorage
      case ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"):
        self = .reconstruct
      case ("numpy", "ndarray"): self = .arrayClass
      case ("numpy", "dtype"): self = .elementTypeClass
      case ("collections", "OrderedDict"): self = .orderedDictionary
      default: return nil
      }
    }
  }

  /// A step on the path from the root to an array: from a container to one of its items.
  public enum Step: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// To the value of a dictionary's key.
    case key(String)
    /// To the item of a list or a tuple with this index.
    case index(Int)

    /// Creates a step to the value of a key.
    public init(stringLiteral value: String) { self = .key(value) }
    /// Creates a step to the item with an index.
    public init(integerLiteral value: Int) { self = .index(value) }
  }

  /// The name of the file in error messages.
  public let name: String
  let objects: [Object]
  let root: Value
  /// The index of the first byte after the pickle.
  let end: Int

  /// Reads a pickle. Throws ``ModelToolsError`` if it is damaged or contains more than arrays.
  public init(_ bytes: ByteValues, name: String) throws {
    try self.init(bytes, name: name, from: 0, allowsTensors: false)
  }

  /// Reads a pickle that starts at an index of a file. `allowsTensors` says whether it may contain tensors of PyTorch.
  init(_ bytes: ByteValues, name: String, from start: Int, allowsTensors: Bool) throws {
    var machine = PickleMachine(bytes, name: name, from: start, allowsTensors: allowsTensors)
    root = try machine.run()
    objects = machine.objects
    end = machine.offset
    self.name = name
  }

  /// Returns the array at the end of a path. If the array is missing, the error says at which step the path ends.
  public func array(_ path: Step...) throws -> NumericArray {
    try array(at: path)
  }

  /// Returns the array at the end of a path. If the array is missing, the error says at which step the path ends.
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

  /// Returns an item of a container, or nil if the value is no container or has no such item.
  func member(of value: Value, _ step: Step) -> Value? {
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
