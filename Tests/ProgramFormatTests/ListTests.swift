import Engine
import ModelFormat
import Testing

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

  @Test("A list grows when it is written to after its end, with zeros between")
  func growing() throws {
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

  @Test("A list of a fixed length refuses a place that it has not")
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

  /// `for i in 0..<4 { list[i] = x · i }`.
  @Test("A loop fills a list of elements whose shape a name stands for", arguments: [true, false])
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
}
