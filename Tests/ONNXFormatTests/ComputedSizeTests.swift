import Engine
import ModelFormat
import ONNXFormat
import Operators
import Testing

@Suite("An ONNX model that computes with its input's size")
struct ComputedSizeTests {
  private func picture(_ height: Int, _ width: Int) -> ReferenceTensor {
    ReferenceTensor([1, 1, height, width], (0..<height * width).map { Double($0 % 7) })
  }

  private func making() -> ModelMaking {
    var making = ModelMaking()
    making.input("x", [1, 1, "height", "width"])
    making.constant(ModelMaking.ints("two", [1], [2]))
    making.constant(ModelMaking.ints("eight", [1], [8]))
    making.add("Shape", ["x"], ["sizes"])
    making.add("Gather", ["sizes", "two"], ["height"], ModelMaking.int("axis", 0))
    return making
  }

  @Test(
    "A model pads its input to a multiple of eight", arguments: [(18, 24), (64, 64), (97, 104)])
  func paddingToAMultiple(height: Int, expected: Int) throws {
    var making = making()
    making.constant(ModelMaking.ints("zeros6", [6], [0, 0, 0, 0, 0, 0]))
    making.constant(ModelMaking.ints("zero", [1], [0]))
    making.add("Mod", ["height", "eight"], ["over"])
    making.add("Sub", ["eight", "over"], ["rest"])
    making.add("Mod", ["rest", "eight"], ["below"])
    making.add("Concat", ["zeros6", "below", "zero"], ["pads"], ModelMaking.int("axis", 0))
    making.add("Pad", ["x", "pads"], ["y"])
    making.output("y")
    #expect(try making.output(picture(height, 5))?.shape == [1, 1, expected, 5])
  }

  @Test("A model selects a branch by its input's height", arguments: [(18, 3.0), (64, 2), (96, 2)])
  func branches(height: Int, factor: Double) throws {
    var making = making()
    making.constant(ModelMaking.ints("fifty", [1], [50]))
    making.constant(ModelMaking.floats("twice", [], [2]))
    making.constant(ModelMaking.floats("thrice", [], [3]))
    making.add("Greater", ["height", "fifty"], ["isLarge"])
    func branch(_ factor: String) -> ONNX.GraphProto {
      var graph = ONNX.GraphProto()
      graph.name = factor
      graph.node = [ModelMaking.node("Mul", ["x", factor], ["of \(factor)"])]
      graph.output = [ModelMaking.info("of \(factor)", [1, 1, "h", "w"])]
      return graph
    }
    making.add(
      "If", ["isLarge"], ["y"], ModelMaking.graph("then_branch", branch("twice")),
      ModelMaking.graph("else_branch", branch("thrice")))
    making.output("y")
    let x = picture(height, 3)
    #expect(try making.output(x)?.values == x.values.map { $0 * factor })
  }

  @Test(
    "A shape that fits only some sizes of the input still gives later nodes the extents that it fixes"
  )
  func fixedExtentsOfAComputedShape() throws {
    var making = ModelMaking()
    making.input("x", [1, 2, "height", "width"])
    making.constant(ModelMaking.ints("three", [1], [3]))
    making.constant(ModelMaking.ints("start", [2], [0, 2]))
    making.constant(ModelMaking.ints("two", [1], [2]))
    making.constant(ModelMaking.ints("four", [1], [4]))
    making.add("Shape", ["x"], ["sizes"])
    making.add("Slice", ["sizes", "three", "four"], ["width"])
    making.add("Concat", ["start", "width"], ["shape"], ModelMaking.int("axis", 0))
    // Only a picture of one row has as many numbers as this shape.
    making.add("Reshape", ["x", "shape"], ["line"])
    making.constant(ModelMaking.floats("weights", [1, 2, 1], [1, 10]))
    making.add("Conv", ["line", "weights"], ["sum"])
    for (name, value) in [("scale", 2), ("shift", 1), ("mean", 0), ("variance", 1)]
      as [(String, Float)]
    {
      making.constant(ModelMaking.floats(name, [1], [value]))
    }
    making.add(
      "BatchNormalization", ["sum", "scale", "shift", "mean", "variance"], ["y"],
      ModelMaking.float("epsilon", 0))
    making.output("y")
    let y = try #require(
      try making.output(ReferenceTensor([1, 2, 1, 3], [1, 2, 3, 4, 5, 6])))
    #expect(y.shape == [1, 1, 3])
    #expect(y.values == [83, 105, 127])
  }
}
