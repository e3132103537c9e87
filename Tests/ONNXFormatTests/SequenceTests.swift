import Engine
import ModelFormat
import ONNXFormat
import Testing

/// Tests models with sequences of tensors. The reader replaces each sequence by single tensors.
@Suite("An ONNX sequence")
struct SequenceTests {
  private let x = ReferenceTensor([2, 4], [0, 1, 2, 3, 4, 5, 6, 7])

  private func output(of making: ModelMaking) throws -> ReferenceTensor? {
    try making.read().graph.definition([x])[0]
  }

  @Test(
    "A sequence is split, indexed and concatenated along a known or a new axis", arguments: [0, 1])
  func split(isNew: Int64) throws {
    var making = ModelMaking()
    making.input("x", [2, 4])
    making.constant(ModelMaking.ints("two", [], [2]))
    making.constant(ModelMaking.ints("last", [], [-1]))
    making.constant(ModelMaking.ints("first", [], [0]))
    making.add("SplitToSequence", ["x", "two"], ["parts"], ModelMaking.int("axis", 1))
    making.add("SequenceAt", ["parts", "last"], ["a"])
    making.add("SequenceAt", ["parts", "first"], ["b"])
    making.add("SequenceConstruct", ["a", "b"], ["sequence"])
    making.add(
      "ConcatFromSequence", ["sequence"], ["y"],
      ModelMaking.int("axis", isNew == 1 ? 0 : 1), ModelMaking.int("new_axis", isNew))
    making.output("y")
    let y = try #require(try output(of: making))
    #expect(y.shape == (isNew == 1 ? [2, 2, 2] : [2, 4]))
    #expect(y.values == (isNew == 1 ? [2, 3, 6, 7, 0, 1, 4, 5] : [2, 3, 0, 1, 6, 7, 4, 5]))
  }

  @Test("Elements of a sequence are inserted, removed and counted, with indices from both ends")
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

  @Test("A sequence with a data-dependent index is refused with a message")
  func computed() throws {
    var making = ModelMaking()
    making.input("x", [2, 4])
    making.input("index", [], type: 7)
    making.add("SequenceConstruct", ["x", "x"], ["s"])
    making.add("SequenceAt", ["s", "index"], ["y"])
    making.output("y")
    #expect {
      _ = try making.read()
    } throws: { error in
      "\(error)".contains("the index into the sequence is computed while the network runs")
    }
  }

  @Test("A sequence cannot be used as a tensor, or indexed beyond its end")
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

  @Test("A dynamic axis is split into the sizes of a list", arguments: [true, false])
  func splitDynamically(isKnown: Bool) throws {
    var making = ModelMaking()
    making.input("x", [2, "n"])
    making.constant(ModelMaking.ints("sizes", [2], [3, 1]))
    making.constant(ModelMaking.ints("one", [1], [1]))
    making.constant(ModelMaking.ints("first", [], [0]))
    making.add("Shape", ["x"], ["n"], ModelMaking.int("start", 1))
    making.add("Sub", ["n", "one"], ["rest"])
    making.add("Concat", ["rest", "one"], ["computed"], ModelMaking.int("axis", 0))
    making.add(
      "SplitToSequence", ["x", isKnown ? "sizes" : "computed"], ["parts"],
      ModelMaking.int("axis", 1))
    making.add("SequenceAt", ["parts", "first"], ["y"])
    making.output("y")
    let y = try #require(try output(of: making))
    #expect(y == ReferenceTensor([2, 3], [0, 1, 2, 4, 5, 6]))
    guard !isKnown else { return }
    #expect(try making.output(DynamicAxes.tensor([2, 9]))?.shape == [2, 8])
  }

  @Test("A sequence is refused with a way out if a dynamic axis determines its length")
  func unknownLength() throws {
    var making = ModelMaking()
    making.input("x", [2, "n"])
    making.constant(ModelMaking.ints("two", [], [2]))
    making.constant(ModelMaking.ints("first", [], [0]))
    making.add("SplitToSequence", ["x", "two"], ["parts"], ModelMaking.int("axis", 1))
    making.add("SequenceAt", ["parts", "first"], ["y"])
    making.output("y")
    let error = try #require(throws: EngineError.self) { try making.read() }
    #expect(
      error.message
        == "SplitToSequence 'parts': the size of axis 1 of the input must be known when the file is read; state the shape of the model's input (`--shape NAME=…`)."
    )
  }
}
