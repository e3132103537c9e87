import Engine
import ModelFormat

/// A function of an ML Program.
public struct ProgramFunction: Encodable, Sendable {
  /// An input or output of the function.
  public struct Value: Encodable, Sendable {
    /// The name.
    public let name: String
    /// The element type and extents in words, such as `float16 1 × 3 × 224 × 224`.
    public let type: String
    /// The element type of a tensor, such as `float16`. Nil for other types.
    public private(set) var elementType: String?
    /// The extents of a tensor, with nil for dynamic axes. Nil for other types, and for a tensor of any rank.
    public private(set) var shape: [Int?]?

    init(name: String, _ type: Spec.MILSpec.ValueType?) {
      self.name = name
      self.type = ProgramFunction.words(type)
      guard case .tensorType(let tensor)? = type?.type else { return }
      elementType = "\(tensor.dataType)"
      guard tensor.rank >= 0 else { return }
      shape = tensor.dimensions.map { dimension in
        guard case .constant(let constant)? = dimension.dimension else { return nil }
        return Int(clamping: constant.size)
      }
    }
  }

  /// The name of the function. If a program has only one function, that function is called `main`.
  public let name: String
  /// The opset of the function, such as `CoreML7`.
  public let operationSet: String
  /// The inputs.
  public let inputs: [Value]
  /// The outputs.
  public let outputs: [Value]
  /// How often each type of operation occurs, including nested blocks.
  public let operations: [ModelSummary.Count]

  /// Summarises the functions of a program, sorted by name.
  static func all(of program: Spec.MILSpec.Program) -> [ProgramFunction] {
    program.functions.sorted { $0.key < $1.key }.map { ProgramFunction($0.key, $0.value) }
  }

  private init(_ name: String, _ function: Spec.MILSpec.Function) {
    self.name = name
    operationSet = function.opset
    inputs = function.inputs.map { Value(name: $0.name, $0.type) }
    let block: Spec.MILSpec.Block =
      function.blockSpecializations[function.opset]
      ?? function.blockSpecializations.min { $0.key < $1.key }?.value ?? Spec.MILSpec.Block()
    let made: [Spec.MILSpec.NamedValueType] = block.operations.flatMap(\.outputs)
    let types = Dictionary(made.map { ($0.name, $0.type) }) { first, _ in first }
    outputs = block.outputs.map { Value(name: $0, types[$0] ?? nil) }
    var kinds: [String] = []
    Self.collect(block, into: &kinds)
    operations = ModelSummary.counts(kinds)
  }

  private static func collect(_ block: Spec.MILSpec.Block, into kinds: inout [String]) {
    for operation in block.operations {
      kinds.append(operation.type)
      for nested in operation.blocks { collect(nested, into: &kinds) }
    }
  }

  fileprivate static func words(_ type: Spec.MILSpec.ValueType?) -> String {
    switch type?.type {
    case .tensorType(let tensor)?:
      let extents: [String] = tensor.dimensions.map { dimension in
        guard case .constant(let constant)? = dimension.dimension else { return "?" }
        return String(constant.size)
      }
      let shape: String = tensor.rank < 0 ? " of any rank" : extents.joined(separator: " × ")
      return shape.isEmpty ? "\(tensor.dataType)" : "\(tensor.dataType) \(shape)"
    case .listType(let list)?: return "list of \(words(list.type))"
    case .tupleType(let tuple)?: return "(\(tuple.types.map(words).joined(separator: ", ")))"
    case .dictionaryType(let dictionary)?:
      return "dictionary from \(words(dictionary.keyType)) to \(words(dictionary.valueType))"
    case .stateType(let state)?: return "state of \(words(state.wrappedType))"
    case nil: return "unknown"
    }
  }
}
