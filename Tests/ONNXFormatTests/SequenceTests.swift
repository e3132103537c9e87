import Engine
import ModelFormat
import ONNXFormat
import Testing

/// Models that keep tensors in rows, which are taken apart while they are read.
@Suite("A sequence of ONNX")
struct SequenceTests {
  private let x = ReferenceTensor([2, 4], [0, 1, 2, 3, 4, 5, 6, 7])

  private func output(of making: ModelMaking) throws -> ReferenceTensor? {
    try making.read().graph.definition([x])[0]
  }

  @Test("is split, read at places and joined along a known or a new axis", arguments: [0, 1])
  func split(isNew: Int64) throws {
    var making = ModelMaking()
    making.input("x", [2, 4])
    making.constant(ModelMaking.ints("two", [], [2]))
    making.constant(ModelMaking.ints("last", [], [-1]))
    making.constant(ModelMaking.ints("first", [], [0]))
    making.add("SplitToSequence", ["x", "two"], ["parts"], ModelMaking.int("axis", 1))
    making.add("SequenceAt", ["parts", "last"], ["a"])
    making.add("SequenceAt", ["parts", "first"], ["b"])
    making.add("SequenceConstruct", ["a", "b"], ["turned"])
    making.add(
      "ConcatFromSequence", ["turned"], ["y"],
      ModelMaking.int("axis", isNew == 1 ? 0 : 1), ModelMaking.int("new_axis", isNew))
    making.output("y")
    let y = try #require(try output(of: making))
    #expect(y.shape == (isNew == 1 ? [2, 2, 2] : [2, 4]))
    #expect(y.values == (isNew == 1 ? [2, 3, 6, 7, 0, 1, 4, 5] : [2, 3, 0, 1, 6, 7, 4, 5]))
  }

  @Test("grows and shrinks at places from both ends, and knows its length")
  func editing() throws {
    var making = ModelMaking()
    making.input("x", [2, 4])
    making.constant(ModelMaking.floats("one", [1], [1]))
    making.constant(ModelMaking.floats("two", [1], [2]))
    making.constant(ModelMaking.floats("three", [1], [3]))
    making.constant(ModelMaking.ints("back", [], [-1]))
    making.constant(ModelMaking.ints("front", [], [0]))
    making.add("SequenceEmpty", [], ["none"])
    making.add("SequenceInsert", ["none", "one"], ["s1"])
    making.add("SequenceInsert", ["s1", "two", "back"], ["s2"])  // 2 1
    making.add("SequenceInsert", ["s2", "three"], ["s3"])  // 2 1 3
    making.add("SequenceErase", ["s3", "front"], ["s4"])  // 1 3
    making.add("Identity", ["s4"], ["s5"])
    making.add("SequenceLength", ["s5"], ["count"])
    making.add("Cast", ["count"], ["number"], ModelMaking.int("to", 1))
    making.add("ConcatFromSequence", ["s5"], ["joined"], ModelMaking.int("axis", 0))
    making.add("Mul", ["joined", "number"], ["scaled"])
    making.add("ReduceMin", ["x"], ["least"], ModelMaking.int("keepdims", 0))
    making.add("Add", ["scaled", "least"], ["y"])
    making.output("y")
    #expect(try output(of: making)?.values == [2, 6])
  }

  @Test("whose place is computed from data is refused in a sentence")
  func computed() throws {
    var making = ModelMaking()
    making.input("x", [2, 4])
    making.input("place", [], type: 7)
    making.add("SequenceConstruct", ["x", "x"], ["s"])
    making.add("SequenceAt", ["s", "place"], ["y"])
    making.output("y")
    #expect {
      _ = try making.read()
    } throws: { error in
      "\(error)".contains("the place in the sequence is computed while the network runs")
    }
  }

  @Test("is no tensor, and a place beyond its end is none")
  func misuse() throws {
    var making = ModelMaking()
    making.input("x", [2, 4])
    making.constant(ModelMaking.ints("five", [], [5]))
    making.add("SequenceConstruct", ["x"], ["s"])
    var other: ModelMaking = making
    making.add("Relu", ["s"], ["y"])
    making.output("y")
    #expect { _ = try making.read() } throws: { "\($0)".contains("a sequence of 1 tensors") }
    other.add("SequenceAt", ["s", "five"], ["y"])
    other.output("y")
    #expect { _ = try other.read() } throws: { "\($0)".contains("expected -1 to 0") }
  }
}
