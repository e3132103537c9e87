import Engine
import ModelFormat
import NetworkRuns

@testable import ProgramFormat

/// A program of one function, put together operation by operation, for tests of shapes and places.
struct ShapeProgram {
  typealias MIL = Spec.MILSpec

  /// What an input of an operation is bound to.
  enum Argument {
    case name(String)
    case names([String])
    case ints([Int32])
    case int(Int32)
    case float(Float)
    case bool(Bool)
    case bools([Bool])
    case string(String)

    /// The names, or the one value.
    fileprivate var bindings: [Any] {
      switch self {
      case .name(let name): [name]
      case .names(let several): several
      case .ints(let numbers): [ProgramDraft.ints([numbers.count], numbers)]
      case .int(let number): [ProgramDraft.ints([], [number])]
      case .float(let number): [ProgramDraft.floats([], [number])]
      case .bool(let value): [ProgramDraft.bool(value)]
      case .bools(let values): [ProgramDraft.bools([values.count], values)]
      case .string(let text): [ProgramDraft.string(text)]
      }
    }
  }

  private var draft = ProgramDraft()

  init(_ opset: Opset = .iOS17) { draft.opset = opset }

  /// Adds an input; nil for an extent that is not known.
  mutating func input(_ name: String, _ extents: [Int?], _ type: MIL.DataType = .float32) {
    draft.inputs.append(ProgramDraft.named(name, ProgramDraft.tensor(extents, type)))
  }

  /// Adds an operation with one output or several.
  mutating func add(
    _ type: String, _ inputs: [String: Argument],
    _ outputs: (name: String, extents: [Int?], type: MIL.DataType)...
  ) {
    draft.operations.append(
      ProgramDraft.operation(
        type, inputs.mapValues(\.bindings),
        outputs.map { ($0.name, ProgramDraft.tensor($0.extents, $0.type)) }))
  }

  /// The program as a network that makes the outputs.
  func network(_ outputs: [String]) throws -> Network {
    var draft: ProgramDraft = draft
    draft.outputs = outputs
    return Network(
      try draft.graph().graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
  }

  /// What the program makes of the inputs.
  func run(_ outputs: String..., of inputs: ReferenceTensor...) throws -> [ReferenceTensor] {
    try network(outputs).run(inputs)
  }
}

extension ReferenceTensor {
  /// 0, 1, 2, … under a shape.
  static func counting(_ shape: Shape) -> ReferenceTensor {
    ReferenceTensor(shape, (0..<shape.count).map(Double.init))
  }
}
