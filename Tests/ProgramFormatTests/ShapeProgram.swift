import Engine
import ModelFormat
import NetworkRuns

@testable import ProgramFormat

/// A program with one function, built operation by operation, for tests of shapes and indices.
struct ShapeProgram {
  typealias MIL = Spec.MILSpec

  /// The value that is bound to an operation's input.
  enum Argument {
    case name(String)
    case names([String])
    case ints([Int32])
    case int(Int32)
    case float(Float)
    case bool(Bool)
    case bools([Bool])
    case string(String)

    /// The names that the input binds, or the single value.
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

  /// Adds an input. An extent is nil if the program does not know it.
  mutating func input(_ name: String, _ extents: [Int?], _ type: MIL.DataType = .float32) {
    draft.inputs.append(ProgramDraft.named(name, ProgramDraft.tensor(extents, type)))
  }

  /// Adds an operation with one or several outputs.
  mutating func add(
    _ type: String, _ inputs: [String: Argument],
    _ outputs: (name: String, extents: [Int?], type: MIL.DataType)...
  ) {
    draft.operations.append(
      ProgramDraft.operation(
        type, inputs.mapValues(\.bindings),
        outputs.map { ($0.name, ProgramDraft.tensor($0.extents, $0.type)) }))
  }

  /// Builds the program as a network with the given outputs.
  func network(_ outputs: [String]) throws -> Network {
    var draft: ProgramDraft = draft
    draft.outputs = outputs
    return Network(
      try draft.graph().graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
  }

  /// Runs the program and returns the outputs.
  func run(_ outputs: String..., of inputs: ReferenceTensor...) throws -> [ReferenceTensor] {
    try network(outputs).run(inputs)
  }
}

extension ReferenceTensor {
  /// Returns a tensor of a shape that contains the values 0, 1, 2, ….
  static func counting(_ shape: Shape) -> ReferenceTensor {
    ReferenceTensor(shape, (0..<shape.count).map(Double.init))
  }
}
