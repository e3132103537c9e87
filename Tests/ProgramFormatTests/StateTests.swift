import Engine
import ModelFormat
import Testing

@testable import ProgramFormat

@Suite("States of programs")
struct StateTests {
  private typealias Draft = ProgramDraft
  private static let vector = Draft.tensor([2])

  private static func read(_ name: String, _ state: String = "s") -> Draft.Operation {
    Draft.operation("read_state", ["input": [state]], [(name, vector)])
  }

  private static func write(_ name: String, _ state: String = "s") -> Draft.Operation {
    Draft.operation("write_state", ["input": [state], "data": [name]], [])
  }

  private static func add(_ x: String, _ y: String, _ sum: String) -> Draft.Operation {
    Draft.operation("add", ["x": [x], "y": [y]], [(sum, vector)])
  }

  private static var draft: ProgramDraft {
    var draft = ProgramDraft()
    draft.inputs = [
      Draft.named("x", vector), Draft.named("s", Draft.state([2])),
      Draft.named("t", Draft.state([2])),
    ]
    return draft
  }

  @Test("A read after a write returns the written value; a state that is only read does not change")
  func readAndWrite() throws {
    var draft = Self.draft
    draft.operations = [
      Self.read("old"), Self.read("other", "t"), Self.add("old", "x", "sum"), Self.write("sum"),
      Self.read("new"), Self.add("new", "other", "y"),
    ]
    draft.outputs = ["old", "y"]
    let states = try draft.graph().states
    #expect(states.map(\.input) == [1, 2])
    #expect(states.map(\.output) == [2, nil])
    let made = try draft.run([([2], [1, 2]), ([2], [10, 20]), ([2], [100, 200])])
    #expect(made == [[10, 20], [111, 222], [11, 22]])
  }

  @Test("Two states may be swapped")
  func swapped() throws {
    var draft = Self.draft
    draft.operations = [
      Self.read("a"), Self.read("b", "t"), Self.write("b"), Self.write("a", "t"),
      Self.add("a", "x", "y"),
    ]
    draft.outputs = ["y"]
    let made = try draft.run([([2], [1, 2]), ([2], [10, 20]), ([2], [100, 200])])
    #expect(made == [[11, 22], [100, 200], [10, 20]])
  }

  @Test("A state changes only if the branch that writes it is taken", arguments: [true, false])
  func branch(condition: Bool) throws {
    var draft = Self.draft
    let writing = Draft.block(
      [], [Self.read("old"), Self.add("old", "x", "sum"), Self.write("sum")], gives: ["sum"])
    let other = Draft.block([], [Self.read("other", "t")], gives: ["other"])
    draft.operations = [
      Draft.operation(
        "cond", ["pred": [Draft.bool(condition)]], [("made", Self.vector)],
        blocks: [writing, other]),
      Self.read("new"), Self.add("made", "new", "y"),
    ]
    draft.outputs = ["y"]
    let made = try draft.run([([2], [1, 2]), ([2], [10, 20]), ([2], [100, 200])])
    #expect(made == (condition ? [[22, 44], [11, 22]] : [[110, 220], [10, 20]]))
  }

  @Test(
    "A loop may write a state in every iteration, inside a branch or not",
    arguments: [true, false])
  func loop(isNested: Bool) throws {
    var draft = Self.draft
    let count = Draft.tensor([], .int32)
    let less = Draft.operation(
      "less", ["x": ["i"], "y": [Draft.ints([], [3])]], [("goes", Draft.tensor([], .bool))])
    let next = Draft.operation("add", ["x": ["j"], "y": [Draft.ints([], [1])]], [("k", count)])
    let loop = Draft.operation(
      "while_loop", ["loop_vars": [Draft.ints([], [0])]], [("n", count)],
      blocks: [
        Draft.block([("i", count)], [less], gives: ["goes"]),
        Draft.block(
          [("j", count)],
          [next, Self.read("old"), Self.add("old", "x", "sum"), Self.write("sum")], gives: ["k"]),
      ])
    let branch = Draft.operation(
      "cond", ["pred": [Draft.bool(true)]], [("m", count)],
      blocks: [Draft.block([], [loop], gives: ["n"]), Draft.block([], [loop], gives: ["n"])])
    draft.operations = [isNested ? branch : loop, Self.read("y")]
    draft.outputs = ["y"]
    let made = try draft.run([([2], [1, 2]), ([2], [10, 20]), ([2], [100, 200])])
    #expect(made == [[13, 26], [13, 26]])
  }

  @Test("A value of another type than the state's is refused with both types")
  func misfit() {
    var draft = Self.draft
    draft.inputs[0] = Draft.named("x", Draft.tensor([3]))
    draft.operations = [Self.write("x")]
    let error = #expect(throws: EngineError.self) { try draft.graph() }
    #expect(error?.message.contains("the state 's' is 2 of float32") == true)
  }

  @Test("A session updates the state memory that it is bound to, in every run")
  func bound() throws {
    var draft = Self.draft
    draft.operations = [
      Self.read("old"), Self.read("other", "t"), Self.add("old", "x", "sum"), Self.write("sum"),
      Self.add("old", "other", "y"),
    ]
    draft.outputs = ["y"]
    let graph = try draft.graph().graph
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let memory = try (AlignedBuffer([10, 20]), AlignedBuffer([100, 200]))
    let types = [TensorType](repeating: TensorType([2]), count: 3)
    for iteration in 0..<3 {
      try network.plan(for: types).withSession { session in
        session.bind(memory.0.pointer, to: graph.states[0])
        session.bind(memory.1.pointer, to: graph.states[1])
        session.input(0).memory.storeBytes(of: 1, as: Float.self)
        session.input(0).memory.storeBytes(of: 2, toByteOffset: 4, as: Float.self)
        try session.run()
        let output = try session.output(0)
        let sum = Float(110 + iteration)
        #expect(
          TensorCodec.unpack(output.memory, as: output.form).reals.first.map { Float($0) } == sum)
      }
      #expect(memory.0.floats[1] == Float(22 + 2 * iteration))
      #expect(memory.1.floats[0] == 100)
    }
  }
}
