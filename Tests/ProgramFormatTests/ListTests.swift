import ModelFormat
import Testing

@testable import Engine
@testable import ProgramFormat

@Suite("Lists of programs")
struct ListTests {
  private typealias Draft = ProgramDraft
  private static let vector = Draft.tensor([2])
  private static let count = Draft.tensor([], .int32)
  private static let list = Draft.list(of: [2])

  private static func make(_ length: Any, grows: Bool, _ extents: [Any]) -> Draft.Operation {
    Draft.operation(
      "make_list",
      ["init_length": [length], "dynamic_length": [Draft.bool(grows)], "elem_shape": extents],
      [("made", list)])
  }

  private static func write(_ list: String, _ index: Any, _ value: String, _ made: String)
    -> Draft.Operation
  {
    Draft.operation(
      "list_write", ["ls": [list], "index": [index], "value": [value]], [(made, Self.list)])
  }

  private static var draft: ProgramDraft {
    var draft = ProgramDraft()
    draft.inputs = [Draft.named("x", vector)]
    return draft
  }

  @Test("A dynamic list is extended by a write after its end, with zeros in between")
  func extending() throws {
    var draft = Self.draft
    draft.operations = [
      Self.make(Draft.ints([], [2]), grows: true, [Draft.ints([], [2])]),
      Self.write("made", Draft.ints([], [4]), "x", "longer"),
      Draft.operation(
        "list_gather", ["ls": ["longer"], "indices": [Draft.ints([3], [4, 3, 0])]],
        [("y", Draft.tensor([3, 2]))]),
      Draft.operation("list_length", ["ls": ["longer"]], [("n", Self.count)]),
    ]
    draft.outputs = ["y", "n"]
    #expect(try draft.run([([2], [7, 8])]) == [[7, 8, 0, 0, 0, 0], [5]])
  }

  @Test("A list of fixed length refuses an index beyond its end")
  func fixed() throws {
    var draft = Self.draft
    draft.operations = [
      Self.make(Draft.ints([], [2]), grows: false, [Draft.ints([], [2])]),
      Self.write("made", Draft.ints([], [2]), "x", "written"),
      Draft.operation(
        "list_read", ["ls": ["written"], "index": [Draft.ints([], [1])]], [("y", Self.vector)]),
    ]
    draft.outputs = ["y"]
    let error = #expect(throws: EngineError.self) { try draft.run([([2], [7, 8])]) }
    #expect(error?.message.contains("index 2 does not exist in a list of 2") == true)
  }

  /// Runs `for i in 0..<4 { list[i] = x · i }`.
  @Test("A loop fills a list with elements of a named shape", arguments: [true, false])
  func loop(grows: Bool) throws {
    var draft = Self.draft
    let less = Draft.operation(
      "less", ["x": ["i"], "y": [Draft.ints([], [4])]], [("goes", Draft.tensor([], .bool))])
    let body: [Draft.Operation] = [
      Draft.operation(
        "cast", ["x": ["j"], "dtype": [Draft.string("fp32")]], [("f", Draft.tensor([]))]),
      Draft.operation("mul", ["x": ["x"], "y": ["f"]], [("value", Self.vector)]),
      Self.write("m", "j", "value", "written"),
      Draft.operation("add", ["x": ["j"], "y": [Draft.ints([], [1])]], [("k", Self.count)]),
    ]
    draft.operations = [
      Self.make(Draft.ints([], [grows ? 1 : 4]), grows: grows, [Draft.string("d0")]),
      Draft.operation(
        "while_loop", ["loop_vars": [Draft.ints([], [0]), "made"]],
        [("n", Self.count), ("filled", Self.list)],
        blocks: [
          Draft.block([("i", Self.count), ("l", Self.list)], [less], gives: ["goes"]),
          Draft.block([("j", Self.count), ("m", Self.list)], body, gives: ["k", "written"]),
        ]),
      Draft.operation(
        "list_gather", ["ls": ["filled"], "indices": [Draft.ints([4], [3, 2, 1, 0])]],
        [("y", Draft.tensor([4, 2]))]),
    ]
    draft.outputs = ["y"]
    #expect(try draft.run([([2], [1, 10])]) == [[3, 30, 2, 20, 1, 10, 0, 0]])
  }

  /// Builds `for i in 0..<iterations { body }` over a list. Before the loop, the list is `[x]`. The program returns the
  /// list as one tensor.
  private static func looped(_ iterations: Int32, _ body: [Draft.Operation], gives list: String)
    -> Draft
  {
    var draft = Self.draft
    let more = Draft.operation(
      "less", ["x": ["i"], "y": [Draft.ints([], [iterations])]], [("goes", Draft.tensor([], .bool))]
    )
    let next = Draft.operation(
      "add", ["x": ["j"], "y": [Draft.ints([], [1])]], [("k", Self.count)])
    draft.operations = [
      make(Draft.ints([], [1]), grows: true, [Draft.ints([], [2])]),
      write("made", Draft.ints([], [0]), "x", "first"),
      Draft.operation(
        "while_loop", ["loop_vars": [Draft.ints([], [0]), "first"]],
        [("n", Self.count), ("filled", Self.list)],
        blocks: [
          Draft.block([("i", Self.count), ("l", Self.list)], [more], gives: ["goes"]),
          Draft.block([("j", Self.count), ("m", Self.list)], body + [next], gives: ["k", list]),
        ]),
      Draft.operation(
        "list_gather",
        ["ls": ["filled"], "indices": [Draft.ints([Int(iterations) + 1], Array(0...iterations))]],
        [("y", Draft.tensor([Int(iterations) + 1, 2]))]),
    ]
    draft.outputs = ["y"]
    return draft
  }

  private static func read(_ list: String, _ index: String, _ value: String) -> Draft.Operation {
    Draft.operation("list_read", ["ls": [list], "index": [index]], [(value, vector)])
  }

  /// The operations of `list[length] = list[j] + 1`, where `j` counts the iterations. Writing at the list's length
  /// appends an element.
  private static let appending: [Draft.Operation] = [
    read("m", "j", "last"),
    Draft.operation("add", ["x": ["last"], "y": [Draft.floats([], [1])]], [("new", vector)]),
    Draft.operation("list_length", ["ls": ["m"]], [("length", count)]),
    write("m", "length", "new", "longer"),
  ]

  @Test("A list that a loop extends in each iteration needs plans for few lengths")
  func manyIterations() throws {
    let draft = Self.looped(300, Self.appending, gives: "longer")
    let expected: [Float] = (0...300).flatMap { [7 + Float($0), 8 + Float($0)] }
    #expect(try draft.run([([2], [7, 8])]) == [expected])
    let graph = try draft.graph().graph
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let prepared = try network.plan(for: [TensorType([2])])
    try prepared.withSession { try $0.run() }
    #expect(prepared.plan.planCount <= 12, "\(prepared.plan.planCount) plans")
  }

  @Test("Two lists derived from one are independent")
  func forked() throws {
    // The body appends two different elements to the same list, which gives two lists. It then reads the element of the
    // second list. The next iteration gets the first list.
    let body: [Draft.Operation] =
      Self.appending + [
        Draft.operation(
          "mul", ["x": ["new"], "y": [Draft.floats([], [-9])]], [("other", Self.vector)]),
        Self.write("m", "length", "other", "apart"),
        Self.read("apart", "length", "odd"),
        Draft.operation(
          "add", ["x": ["odd"], "y": [Draft.floats([], [0])]], [("unused", Self.vector)]),
      ]
    let expected: [Float] = (0...40).flatMap { [7 + Float($0), 8 + Float($0)] }
    #expect(try Self.looped(40, body, gives: "longer").run([([2], [7, 8])]) == [expected])
  }

  @Test("A value read from a list stays when its element is overwritten")
  func overwritten() throws {
    // The body computes `list[0] += list[j]`. It then appends the old value of `list[0]` to the list.
    let zero = Draft.ints([], [0])
    let body: [Draft.Operation] =
      [
        Draft.operation("list_read", ["ls": ["m"], "index": [zero]], [("first", Self.vector)]),
        Self.read("m", "j", "last"),
        Draft.operation("add", ["x": ["first"], "y": ["last"]], [("sum", Self.vector)]),
        Self.write("m", zero, "sum", "summed"),
        Draft.operation("list_length", ["ls": ["m"]], [("length", Self.count)]),
        Self.write("summed", "length", "first", "longer"),
      ]
    var list: [Float] = [7]
    for iteration in 0..<20 {
      let first: Float = list[0]
      list[0] += list[iteration]
      list.append(first)
    }
    let expected: [Float] = list.flatMap { [$0, $0 / 7] }
    #expect(try Self.looped(20, body, gives: "longer").run([([2], [7, 1])]) == [expected])
  }
}
