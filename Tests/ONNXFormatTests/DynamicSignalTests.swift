import Engine
import ModelFormat
import ONNXFormat
import Testing

/// Tests operators whose matrices and masks depend on extents that are known only at run time.
@Suite("An ONNX signal of dynamic length")
struct DynamicSignalTests {
  @Test(
    "A DFT of dynamic length equals the DFT of known length",
    arguments: ["forward", "onesided", "inverse"], [1, 2])
  func fourier(form: String, kind: Int) throws {
    let isOneSided: Bool = form == "onesided"
    let shapes: [[Any]] = [["n", 2, 12, kind], ["n", 2, "length", kind]]
    for names in shapes {
      var making = ModelMaking(opset: 20)
      making.input("x", names)
      making.constant(ModelMaking.ints("axis", [], [-2]))
      making.add(
        "DFT", ["x", "", "axis"], ["y"], ModelMaking.int("inverse", form == "inverse" ? 1 : 0),
        ModelMaking.int("onesided", isOneSided ? 1 : 0))
      making.output("y")
      let lengths: [Int] = names[2] is Int ? [12] : [7, 12]
      for length in lengths {
        let x: ReferenceTensor = DynamicAxes.tensor([3, 2, length, kind])
        let y: ReferenceTensor = try DynamicAxes.expectSame(making, [x], tolerance: 1e-3)[0]
        #expect(y.shape == [3, 2, isOneSided ? length / 2 + 1 : length, 2])
      }
    }
  }

  @Test("An inverse DFT recovers a real signal from one side of its spectrum")
  func realSignal() throws {
    var making = ModelMaking(opset: 20)
    making.input("x", ["n", "bins", 2])
    making.constant(ModelMaking.ints("axis", [], [1]))
    making.add(
      "DFT", ["x", "", "axis"], ["y"], ModelMaking.int("inverse", 1),
      ModelMaking.int("onesided", 1))
    making.output("y")
    for bins in [4, 7] {
      let x: ReferenceTensor = DynamicAxes.tensor([2, bins, 2])
      let made = try DynamicAxes.expectSame(making, [x], tolerance: 1e-3)
      #expect(made[0].shape == [2, 2 * (bins - 1), 1])
    }
  }

  @Test(
    "A DFT crops or pads a signal of dynamic length to a stated length", arguments: [Int64(5), 16])
  func statedLength(length: Int64) throws {
    var making = ModelMaking(opset: 17)
    making.input("x", [1, "length", 1])
    making.constant(ModelMaking.ints("length", [], [length]))
    making.add("DFT", ["x", "length"], ["y"])
    making.output("y")
    for count in [9, 12] {
      let x: ReferenceTensor = DynamicAxes.tensor([1, count, 1])
      _ = try DynamicAxes.expectSame(making, [x], tolerance: 1e-3)
    }
  }

  @Test(
    "A window has the dynamic length of the signal that it weights",
    arguments: ["HannWindow", "HammingWindow", "BlackmanWindow"], [0, 1])
  func window(type: String, periodic: Int64) throws {
    var making = ModelMaking()
    making.input("x", ["length"])
    making.constant(ModelMaking.ints("scalar", [0], []))
    making.add("Shape", ["x"], ["size"])
    making.add("Reshape", ["size", "scalar"], ["count"])
    making.add(type, ["count"], ["window"], ModelMaking.int("periodic", periodic))
    making.add("Mul", ["x", "window"], ["y"])
    making.output("y")
    for count in [6, 11] {
      _ = try DynamicAxes.expectSame(making, [DynamicAxes.tensor([count])], tolerance: 1e-4)
    }
  }

  @Test(
    "Trilu masks above or below a diagonal that is computed from its input's size",
    arguments: [0, 1])
  func triangle(upper: Int64) throws {
    var making = ModelMaking()
    making.input("x", [2, "rows", "columns"])
    making.constant(ModelMaking.ints("three", [1], [3]))
    making.add("Shape", ["x"], ["rows"], ModelMaking.int("start", 1), ModelMaking.int("end", 2))
    making.add("Sub", ["rows", "three"], ["diagonal"])
    making.add("Trilu", ["x", "diagonal"], ["y"], ModelMaking.int("upper", upper))
    making.output("y")
    for size in [[2, 5], [4, 3]] {
      _ = try DynamicAxes.expectSame(making, [DynamicAxes.tensor(Shape([2] + size))])
    }
  }

  @Test("An einsum extracts the diagonal of a matrix of dynamic size")
  func diagonal() throws {
    var making = ModelMaking()
    making.input("x", ["n", 2, "n"])
    making.add("Einsum", ["x"], ["y"], ModelMaking.string("equation", "ibi->bi"))
    making.output("y")
    for count in [2, 5] {
      let x: ReferenceTensor = DynamicAxes.tensor([count, 2, count])
      let y: ReferenceTensor = try DynamicAxes.expectSame(making, [x])[0]
      let expected: [Double] = [0, 1].flatMap { (row: Int) -> [Double] in
        (0..<count).map { (index: Int) -> Double in x[[index, row, index]] }
      }
      #expect(y.values == expected)
    }
  }
}
