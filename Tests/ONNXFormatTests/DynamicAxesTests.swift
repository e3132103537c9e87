import Engine
import ModelFormat
import ONNXFormat
import Operators
import Testing

@Suite("An ONNX operator on dynamic axes")
struct DynamicAxesTests {
  @Test(
    "A split of a dynamic axis has parts of the same size and a smaller last one",
    arguments: [(10, [4, 4, 2]), (7, [3, 3, 1]), (6, [2, 2, 2])])
  func unevenSplit(count: Int, parts: [Int]) throws {
    var making = ModelMaking()
    making.input("x", [2, "n", 3])
    let names: [String] = ["a", "b", "c"]
    making.add(
      "Split", ["x"], names, ModelMaking.int("axis", 1), ModelMaking.int("num_outputs", 3))
    for name in names { making.output(name) }
    let made = try DynamicAxes.expectSame(making, [DynamicAxes.tensor([2, count, 3])])
    #expect(made.map(\.shape) == parts.map { [2, $0, 3] })
  }

  @Test("A split computes the sizes of its parts from its input's size", arguments: [4, 9])
  func computedSplit(count: Int) throws {
    var making = ModelMaking()
    making.input("x", [2, "n"])
    making.constant(ModelMaking.ints("one", [1], [1]))
    making.add("Shape", ["x"], ["n"], ModelMaking.int("start", 1))
    making.add("Sub", ["n", "one"], ["rest"])
    making.add("Concat", ["one", "rest"], ["sizes"], ModelMaking.int("axis", 0))
    making.add("Split", ["x", "sizes"], ["a", "b"], ModelMaking.int("axis", 1))
    for name in ["a", "b"] { making.output(name) }
    let made = try DynamicAxes.expectSame(making, [DynamicAxes.tensor([2, count])])
    #expect(made.map(\.shape) == [[2, 1], [2, count - 1]])
  }

  @Test(
    "CenterCropPad crops or pads a dynamic axis evenly to stated sizes",
    arguments: [(9, 4), (3, 8), (5, 6), (4, 7)])
  func centredSizes(height: Int, width: Int) throws {
    var making = ModelMaking()
    making.input("x", [2, "h", "w"])
    making.constant(ModelMaking.ints("sizes", [2], [6, 5]))
    making.add("CenterCropPad", ["x", "sizes"], ["y"], ModelMaking.ints("axes", [-1, 1]))
    making.output("y")
    #expect(try making.read().outputs[0].extents == [2, 5, 6])
    let made = try DynamicAxes.expectSame(making, [DynamicAxes.tensor([2, height, width])])
    #expect(made[0].shape == [2, 5, 6])
  }

  @Test("CenterCropPad crops or pads evenly to another input's size", arguments: [(9, 4), (3, 8)])
  func centredLike(height: Int, width: Int) throws {
    var making = ModelMaking()
    making.input("x", [1, "h", "w"])
    making.input("like", ["a", "b"])
    making.add("Shape", ["like"], ["sizes"])
    making.add("CenterCropPad", ["x", "sizes"], ["y"], ModelMaking.ints("axes", [1, 2]))
    making.output("y")
    let made = try DynamicAxes.expectSame(
      making, [DynamicAxes.tensor([1, height, width]), DynamicAxes.tensor([5, 6])])
    #expect(made[0].shape == [1, 5, 6])
  }

  @Test(
    "MaxPool finds the indices of its maxima in an input of dynamic size",
    arguments: ["NOTSET", "SAME_UPPER", "SAME_LOWER"], [0, 1])
  func maximumIndices(padding: String, storageOrder: Int64) throws {
    var attributes: [ONNX.AttributeProto] = [
      ModelMaking.ints("kernel_shape", [3, 2]), ModelMaking.ints("strides", [2, 3]),
      ModelMaking.int("storage_order", storageOrder), ModelMaking.string("auto_pad", padding),
    ]
    if padding == "NOTSET" {
      attributes += [
        ModelMaking.ints("pads", [1, 0, 1, 1]), ModelMaking.ints("dilations", [2, 1]),
        ModelMaking.int("ceil_mode", 1),
      ]
    }
    var making = ModelMaking()
    making.input("x", ["n", 2, "h", "w"])
    making.model.graph?.node = [ModelMaking.node("MaxPool", ["x"], ["y", "i"], attributes)]
    making.output("y")
    making.output("i", type: 7)
    let shapes: [Shape] = [[2, 2, 9, 8], [1, 2, 6, 11]]
    for shape in shapes {
      let x: ReferenceTensor = DynamicAxes.tensor(shape)
      let made = try DynamicAxes.expectSame(making, [x])
      #expect(made[1].element == .int32)
      guard storageOrder == 0 else { continue }
      // Each index is the position of a maximum in the flat input.
      #expect(made[1].integerValues.map { x.values[Int($0)] } == made[0].values)
    }
  }

  @Test(
    "AffineGrid makes the grid of an affine map for its input's size", arguments: [0, 1], [2, 3])
  func affineGrid(aligns: Int64, axes: Int) throws {
    var making = ModelMaking(opset: 20)
    making.input("map", ["n", axes, axes + 1])
    let spatial: [Any] = ["d", "h", "w"]
    making.input("x", ["n", 3] + spatial.suffix(axes))
    making.add("Shape", ["x"], ["size"])
    making.add("AffineGrid", ["map", "size"], ["y"], ModelMaking.int("align_corners", aligns))
    making.output("y")
    for size in [[4, 5, 3], [1, 2, 7]] {
      let shape: [Int] = [2, 3] + size.suffix(axes)
      let inputs: [ReferenceTensor] = [
        DynamicAxes.tensor([2, axes, axes + 1]), ReferenceTensor(Shape(shape)),
      ]
      let made = try DynamicAxes.expectSame(making, inputs, tolerance: 1e-4)
      let expected: [Int] = [2] + size.suffix(axes) + [axes]
      #expect(made[0].shape.dimensions == expected)
    }
  }

  @Test(
    "TensorScatter writes an update into a cache of any length", arguments: ["linear", "circular"])
  func cache(mode: String) throws {
    var making = ModelMaking(opset: 24)
    making.input("past", ["n", 2, "s", 3])
    making.input("update", ["n", 2, "t", 3])
    making.input("starts", ["n"], type: 7)
    making.add(
      "TensorScatter", ["past", "update", "starts"], ["y"], ModelMaking.string("mode", mode))
    making.output("y")
    for (batch, size, length) in [(2, 6, 2), (1, 4, 3)] {
      let starts: [Int64] = mode == "linear" ? [1, 4] : [5, 3]
      let inputs: [ReferenceTensor] = [
        DynamicAxes.tensor([batch, 2, size, 3]), ReferenceTensor([batch, 2, length, 3]),
        ReferenceTensor([batch], integerValues: Array(starts.prefix(batch)), .int32),
      ]
      let y: ReferenceTensor = try DynamicAxes.expectSame(making, inputs)[0]
      #expect(y.values.count { $0 == 0 } >= batch * 2 * length * 3)
    }
  }

  @Test("A slice's axes and steps may be inputs")
  func computedAxes() throws {
    var making = ModelMaking()
    making.input("x", [4, "w", 5])
    for name in ["starts", "ends", "axes", "steps"] { making.input(name, [2], type: 7) }
    making.add("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"])
    making.output("y")
    func list(_ first: Int64, _ second: Int64) -> ReferenceTensor {
      ReferenceTensor([2], integerValues: [first, second], .int32)
    }
    let x: ReferenceTensor = DynamicAxes.tensor([4, 7, 5])
    let y = try DynamicAxes.expectSame(
      making, [x, list(1, -1), list(6, -100), list(1, -1), list(2, -2)])[0]
    #expect(y.shape == [4, 3, 3])
    let expected: [Double] = [0, 1, 2, 3].flatMap { (row: Int) -> [Double] in
      [1, 3, 5].flatMap { (column: Int) -> [Double] in
        [4, 2, 0].map { (depth: Int) -> Double in x[[row, column, depth]] }
      }
    }
    #expect(y.values == expected)
  }

  @Test("A slice's steps may be computed from its input's size")
  func computedSteps() throws {
    var making = ModelMaking()
    making.input("x", ["h", "w"])
    making.constant(ModelMaking.ints("zero", [1], [0]))
    making.constant(ModelMaking.ints("end", [1], [Int64.max]))
    making.constant(ModelMaking.ints("axis", [1], [1]))
    making.add("Shape", ["x"], ["step"], ModelMaking.int("end", 1))
    making.add("Slice", ["x", "zero", "end", "axis", "step"], ["y"])
    making.output("y")
    for (height, count) in [(2, 4), (3, 3)] {
      let made = try DynamicAxes.expectSame(making, [DynamicAxes.tensor([height, 7])])
      #expect(made[0].shape == [height, count])
    }
  }

  @Test("The amounts of wrap padding may be computed from the input's size", arguments: [3, 5, 8])
  func wrapping(count: Int) throws {
    var making = ModelMaking(opset: 19)
    making.input("x", [2, "n"])
    making.constant(ModelMaking.ints("zero", [1], [0]))
    making.constant(ModelMaking.ints("one", [1], [1]))
    making.constant(ModelMaking.ints("eight", [1], [8]))
    making.add("Shape", ["x"], ["n"], ModelMaking.int("start", 1))
    making.add("Sub", ["eight", "n"], ["missing"])
    making.add(
      "Concat", ["zero", "one", "zero", "missing"], ["pads"], ModelMaking.int("axis", 0))
    making.add("Pad", ["x", "pads"], ["y"], ModelMaking.string("mode", "wrap"))
    making.output("y")
    let made = try DynamicAxes.expectSame(making, [DynamicAxes.tensor([2, count])])
    #expect(made[0].shape == [2, 9])
  }

  @Test(
    "The number of elements of a TopK may be an input, and the result's number of axes is known")
  func computedCount() throws {
    var making = ModelMaking()
    making.input("x", [2, "n"])
    making.input("k", [1], type: 7)
    making.add("TopK", ["x", "k"], ["best", "indices"])
    making.add("Flatten", ["best"], ["flat"])
    making.add("ReduceSum", ["flat"], ["y"], ModelMaking.int("keepdims", 0))
    making.output("y")
    let count = ReferenceTensor([1], integerValues: [2], .int32)
    let x = ReferenceTensor([2, 4], [1, 2, 3, 4, 50, 60, 70, 80])
    #expect(try DynamicAxes.expectSame(making, [x, count])[0].values == [157])
  }
}
