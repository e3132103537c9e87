/// Statistics of a program's functions: how often each operation occurs, and which numeric types the program uses.
struct ProgramStatistics {
  /// The number of occurrences of each operation type: `["ReduceMax": 1]`. Operations in nested blocks count. Constants
  /// do not.
  private(set) var operations: [String: Int] = [:]
  private var computed: Set<String> = []
  private var stored: Set<String> = []

  init(_ functions: [Spec.MILSpec.Function]) {
    for function in functions { function.block.map { add($0) } }
  }

  /// The numeric types of the operations' results: `Float32`, or `Mixed (Float16, Int32)`.
  var computePrecision: String? { Self.precisionName(computed) }

  /// The numeric types of the program's constants in weight files. Nil if no weight file holds a numeric constant.
  var storagePrecision: String? { Self.precisionName(stored) }

  private static func precisionName(_ types: Set<String>) -> String? {
    types.count > 1 ? "Mixed (\(types.sorted().joined(separator: ", ")))" : types.first
  }

  private mutating func add(_ block: Spec.MILSpec.Block) {
    for operation in block.operations {
      if operation.type != "const" {
        operations[Self.capitalized(operation.type), default: 0] += 1
      }
      for output in operation.outputs {
        Self.number(output.type).map { _ = computed.insert($0) }
      }
      operation.visitBlobFiles { value, _ in
        Self.number(value.type).map { _ = stored.insert($0) }
      }
      for nested in operation.blocks { add(nested) }
    }
  }

  /// Returns the name in upper camel case: `ReduceMax` for `reduce_max`.
  private static func capitalized(_ name: String) -> String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Returns the name of a tensor's element type. Nil if the type is not numeric.
  private static func number(_ type: Spec.MILSpec.ValueType?) -> String? {
    guard case .tensorType(let tensor)? = type?.type else { return nil }
    switch tensor.dataType {
    case .bool, .string, .unusedType, .unrecognized: return nil
    default:
      let name = "\(tensor.dataType)"
      return name.hasPrefix("uint") ? "UI" + name.dropFirst(2) : capitalized(name)
    }
  }
}

extension Spec.MILSpec.Operation {
  /// Calls `body` with each value of this operation that is in a weight file, and with the value's location in that
  /// file.
  func visitBlobFiles(
    _ body: (_ value: Spec.MILSpec.Value, _ file: Spec.MILSpec.Value.BlobFileValue) -> Void
  ) {
    func visit(_ value: Spec.MILSpec.Value) {
      if case .blobFileValue(let file)? = value.value { body(value, file) }
    }
    for value in attributes.values { visit(value) }
    for argument in inputs.values {
      for binding in argument.arguments {
        if case .value(let value)? = binding.binding { visit(value) }
      }
    }
  }
}

extension Spec.MILSpec.Program {
  /// The names of all weight files to which the program refers.
  var blobFileNames: Set<String> {
    var names: Set<String> = []
    func collect(_ block: Spec.MILSpec.Block) {
      for operation in block.operations {
        operation.visitBlobFiles { _, file in names.insert(file.fileName) }
        for nested in operation.blocks { collect(nested) }
      }
    }
    for function in functions.values {
      for block in function.blockSpecializations.values { collect(block) }
    }
    return names
  }
}
