import Engine
import ModelFormat
import Operators
import Testing

@testable import ProgramFormat

@Suite("States in float16")
struct Float16StateTests {
  private typealias Draft = ProgramDraft

  /// A layer that computes `y = 2 · x`.
  private final class Doubling: CustomLayerImplementation {
    init(_ request: CustomLayerRequest) {}
    func outputShapes(for inputs: [Shape]) throws -> [Shape] { inputs }
    func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
      for index in 0..<inputs[0].shape.count { outputs[0].data[index] = 2 * inputs[0].data[index] }
    }
  }

  private static func half(_ extents: [Int?]) -> Draft.ValueType { Draft.tensor(extents, .float16) }

  private static func operation(
    _ type: String, _ inputs: [String: Any], _ name: String, _ extents: [Int]
  ) -> Draft.Operation {
    Draft.operation(type, inputs.mapValues { $0 as? [Any] ?? [$0] }, [(name, half(extents))])
  }

  private static func cast(_ x: Any, _ name: String, _ extents: [Int]) -> Draft.Operation {
    operation("cast", ["x": x, "dtype": Draft.string("fp16")], name, extents)
  }

  /// A program that writes two heads of one position into a state `[1, 2, 8, 16]`, and then reads the state.
  private static func draft(_ readers: [Draft.Operation], _ outputs: [String]) -> ProgramDraft {
    var draft = ProgramDraft()
    draft.inputs = [
      Draft.named("x", Draft.tensor([1, 2, 1, 16])), Draft.named("q", Draft.tensor([1, 4, 1, 16])),
      Draft.named("s", Draft.state([1, 2, 8, 16], .float16)),
    ]
    draft.operations =
      [
        cast("x", "update", [1, 2, 1, 16]), cast("q", "query", [1, 4, 1, 16]),
        operation("read_state", ["input": "s"], "old", [1, 2, 8, 16]),
        operation(
          "slice_update",
          [
            "x": "old", "update": "update", "begin": Draft.ints([4], [0, 0, 3, 0]),
            "end": Draft.ints([4], [1, 2, 4, 16]),
          ], "new", [1, 2, 8, 16]),
        Draft.operation("write_state", ["input": ["s"], "data": ["new"]], []),
        operation("read_state", ["input": "s"], "cache", [1, 2, 8, 16]),
      ] + readers
    draft.outputs = outputs
    return draft
  }

  /// Attention of four heads to the first five positions of the state.
  private static let attention: [Draft.Operation] = [
    operation(
      "slice_by_index",
      [
        "x": "cache", "begin": Draft.ints([4], [0, 0, 0, 0]),
        "end": Draft.ints([4], [1, 2, 5, 16]),
      ], "some", [1, 2, 5, 16]),
    operation(
      "expand_dims", ["x": "some", "axes": Draft.ints([1], [2])], "apart", [1, 2, 1, 5, 16]),
    operation(
      "tile", ["x": "apart", "reps": Draft.ints([5], [1, 1, 2, 1, 1])], "twice", [1, 2, 2, 5, 16]),
    operation(
      "reshape", ["x": "twice", "shape": Draft.ints([4], [1, 4, 5, 16])], "keys", [1, 4, 5, 16]),
    operation(
      "matmul",
      [
        "x": "query", "y": "keys", "transpose_x": Draft.bool(false),
        "transpose_y": Draft.bool(true),
      ], "scores", [1, 4, 1, 5]),
    operation(
      "softmax", ["x": "scores", "axis": Draft.ints([], [-1])], "weights", [1, 4, 1, 5]),
    operation(
      "matmul",
      [
        "x": "weights", "y": "keys", "transpose_x": Draft.bool(false),
        "transpose_y": Draft.bool(false),
      ], "attended", [1, 4, 1, 16]),
  ]

  /// Other operators that read the state.
  private static var others: [Draft.Operation] {
    var custom = operation("custom_layer", ["x": "cache"], "custom", [1, 2, 8, 16])
    custom.attributes = [
      "class_name": Draft.string("Doubling"), "input_order": Draft.string("x"),
      "parameters": Draft.strings([]), "weights": Draft.strings([]),
    ]
    return [
      operation(
        "matmul",
        [
          "x": "update", "y": "cache", "transpose_x": Draft.bool(false),
          "transpose_y": Draft.bool(true),
        ], "product", [1, 2, 1, 8]),
      operation(
        "gather",
        ["x": "cache", "indices": Draft.ints([3], [7, 3, 3]), "axis": Draft.ints([], [2])],
        "gathered", [1, 2, 3, 16]),
      operation(
        "transpose", ["x": "cache", "perm": Draft.ints([4], [0, 3, 2, 1])], "transposed",
        [1, 16, 8, 2]),
      operation(
        "reshape", ["x": "cache", "shape": Draft.ints([2], [16, 16])], "reshaped", [16, 16]),
      operation("add", ["x": "cache", "y": "cache"], "sum", [1, 2, 8, 16]),
      operation(
        "reduce_sum",
        [
          "x": "cache", "axes": Draft.ints([1], [2]), "keep_dims": Draft.bool(false),
        ], "reduced", [1, 2, 16]),
      operation(
        "concat",
        [
          "values": ["cache", "update"], "axis": Draft.ints([], [2]),
          "interleave": Draft.bool(false),
        ], "joined", [1, 2, 9, 16]),
      custom,
    ]
  }

  private static func graph(_ draft: ProgramDraft) throws -> Graph {
    try ProgramGraph(
      draft.program, blobs: { _ in throw EngineError(.invalidModel, "there is no file.") },
      makeCustomLayer: Doubling.init
    ).graph
  }

  /// The same graph with states in float32.
  private static func wide(_ graph: Graph) -> Graph {
    var result = graph
    for index in graph.values.indices { result[Graph.ValueID(index)].narrowType = nil }
    return result
  }

  private static func numbers(_ count: Int, _ seed: Int) -> [Float] {
    (0..<count).map { Float(($0 * 37 + seed * 101) % 199) / 71 - 1.3 }
  }

  /// Runs a graph three times with different inputs and one state. Returns the outputs of all runs, and the state.
  private static func run(_ graph: Graph, _ storage: ElementType) throws -> [[Float]] {
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let types: [TensorType] = [
      TensorType([1, 2, 1, 16]), TensorType([1, 4, 1, 16]), TensorType([1, 2, 8, 16]),
    ]
    let form = TensorDescriptor(types[2].shape, storage)
    let memory = try AlignedBuffer(byteCount: form.byteCount)
    let start: [Double] = numbers(256, 5).map { ElementType.float16.rounded(Double($0)) }
    TensorCodec.pack(ReferenceTensor(form.shape, start), as: form, into: memory.pointer)
    var results: [[Float]] = []
    for step in 0..<3 {
      try network.plan(for: types).withSession { session in
        session.bind(memory.pointer, to: graph.states[0])
        for input in 0..<2 {
          let port: PortTensor = session.input(input)
          let values: [Double] = numbers(port.form.shape.count, step + 7 * input).map(Double.init)
          TensorCodec.pack(
            ReferenceTensor(port.form.shape, values), as: port.form, into: port.memory)
        }
        try session.run()
        for position in graph.outputs.indices {
          let output = try session.output(position)
          results.append(
            TensorCodec.unpack(output.memory, as: output.form).reals.map { Float($0) })
        }
      }
      results.append(TensorCodec.unpack(memory.pointer, as: form).reals.map { Float($0) })
    }
    return results
  }

  @Test("All operators read the same numbers as from a state in float32", arguments: [true, false])
  func readers(readsOldState: Bool) throws {
    let before: Draft.Operation = Self.operation(
      "mul", ["x": "old", "y": "cache"], "before", [1, 2, 8, 16])
    let readers: [Draft.Operation] =
      Self.attention + Self.others + (readsOldState ? [before] : [])
    let kept: [Draft.Operation] = Self.others + (readsOldState ? [before] : [])
    let graph: Graph = try Self.graph(
      Self.draft(readers, ["attended", "cache"] + kept.map(\.outputs[0].name)))
    #expect(graph.storage(of: graph.states[0], .float32) == .float16)
    let expected: [[Float]] = try Self.run(Self.wide(graph), .float32)
    #expect(try Self.run(graph, .float16) == expected)
    #expect(expected[0] != expected[expected.count / 3])
  }

  @Test("Attention reads a float16 state as it is, and the update writes in place")
  func inPlace() throws {
    let graph: Graph = try Self.graph(Self.draft(Self.attention, ["attended"]))
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let run: PlannedRun = try network.plan(
      for: [TensorType([1, 2, 1, 16]), TensorType([1, 4, 1, 16]), TensorType([1, 2, 8, 16])]
    ).plan.wholeRun()
    #expect(run.externals == [2 * 2 * 8 * 16])
    let state: Plan.Location = run.inputs[2].location
    #expect(state.form.storage == .float16)
    let readers: [Plan.Call] = run.calls.filter { $0.inputs.contains { $0.place == state.place } }
    #expect(readers.map(\.kind) == ["SliceUpdate", "FusedAttention"])
    #expect(readers.first?.outputs.first == state)
  }

  @Test("Loops and branches read and write a float16 state")
  func regions() throws {
    let count = Draft.tensor([], .int32)
    let shape = [1, 2, 8, 16]
    let less = Draft.operation(
      "less", ["x": ["i"], "y": [Draft.ints([], [3])]], [("goes", Draft.tensor([], .bool))])
    let next = Draft.operation("add", ["x": ["j"], "y": [Draft.ints([], [1])]], [("k", count)])
    let body: [Draft.Operation] = [
      next, Self.operation("read_state", ["input": "s"], "now", shape),
      Self.operation("add", ["x": "now", "y": "update"], "more", shape),
      Draft.operation("write_state", ["input": ["s"], "data": ["more"]], []),
    ]
    let loop = Draft.operation(
      "while_loop", ["loop_vars": [Draft.ints([], [0])]], [("n", count)],
      blocks: [
        Draft.block([("i", count)], [less], gives: ["goes"]),
        Draft.block([("j", count)], body, gives: ["k"]),
      ])
    let last: Draft.Operation = Self.operation("read_state", ["input": "s"], "last", shape)
    let graph: Graph = try Self.graph(Self.draft([loop, last] + Self.others, ["last", "custom"]))
    let made: [[Float]] = try Self.run(graph, .float16)
    #expect(try made == Self.run(Self.wide(graph), .float32))
    #expect(made[0] != made[made.count / 3])
  }

  @Test("A value that is not rounded to float16 never passes through float16")
  func wideUpdate() throws {
    let shape = [1, 2, 8, 16]
    let wide: Draft.Operation = Draft.operation(
      "cast", ["x": ["cache"], "dtype": [Draft.string("fp32")]], [("wide", Draft.tensor(shape))])
    let changed: Draft.Operation = Draft.operation(
      "slice_update",
      [
        "x": ["wide"], "update": ["x"], "begin": [Draft.ints([4], [0, 0, 1, 0])],
        "end": [Draft.ints([4], [1, 2, 2, 16])],
      ], [("y", Draft.tensor(shape))])
    let graph: Graph = try Self.graph(Self.draft([wide, changed], ["y"]))
    #expect(try Self.run(graph, .float16) == Self.run(Self.wide(graph), .float32))
  }
}
