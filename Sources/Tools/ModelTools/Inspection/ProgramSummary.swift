import Engine
import ModelFormat

/// A function of an ML Program, by its message.
public struct ProgramFunction: Encodable, Sendable {
  /// A value that the function takes or gives.
  public struct Value: Encodable, Sendable {
    /// The name.
    public let name: String
    /// Element type and extents: `float16 1 × 3 × 224 × 224`.
    public let type: String
  }

  /// The name; a program with one function calls it `main`.
  public let name: String
  /// The set of operations that it is written in, `CoreML7`.
  public let operationSet: String
  /// What it takes.
  public let inputs: [Value]
  /// What it gives.
  public let outputs: [Value]
  /// How often each type of operation occurs, those of nested blocks included.
  public let operations: [ModelSummary.Count]

  /// The functions of a program by their names.
  static func all(of program: Spec.MILSpec.Program) -> [ProgramFunction] {
    program.functions.sorted { $0.key < $1.key }.map { ProgramFunction($0.key, $0.value) }
  }

  private init(_ name: String, _ function: Spec.MILSpec.Function) {
    self.name = name
    operationSet = function.opset
    inputs = function.inputs.map { Value(name: $0.name, type: Self.words($0.type)) }
    let block: Spec.MILSpec.Block =
      function.blockSpecializations[function.opset]
      ?? function.blockSpecializations.min { $0.key < $1.key }?.value ?? Spec.MILSpec.Block()
    let made: [Spec.MILSpec.NamedValueType] = block.operations.flatMap(\.outputs)
    let types = Dictionary(made.map { ($0.name, $0.type) }) { first, _ in first }
    outputs = block.outputs.map { Value(name: $0, type: Self.words(types[$0] ?? nil)) }
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

  private static func words(_ type: Spec.MILSpec.ValueType?) -> String {
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
