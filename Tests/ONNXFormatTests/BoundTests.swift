import Engine
import ModelFormat
import Operators
import Testing

@testable import ONNXFormat

/// Compares our results with those of NumPy and ONNX Runtime.
@Suite("An ONNX model with extreme bounds")
struct BoundTests {
  private static let far: Int64 = 1 << 62

  @Test(
    "A slice equals NumPy's for any bounds",
    arguments: [
      // x[4:2⁶²:−1] is empty. x[4:−2⁶²:−1] extends to the first element.
      (4, far, -1, []), (4, -far, -1, [4, 3, 2, 1, 0]), (far, -far, -1, [4, 3, 2, 1, 0]),
      (-far, far, 1, [0, 1, 2, 3, 4]), (1, far, 2, [1, 3]), (far, -1, -2, []), (-far, 3, -1, []),
      (1, Int64.max, Int64.max, [1]), (3, Int64.min, Int64.min, [3]), (2, -5, -1, [2, 1]),
      (Int64.max, Int64.min, -2, [4, 2, 0]), (1 << 31, -(1 << 31), -3, [4, 1]),
    ] as [(Int64, Int64, Int64, [Double])], [false, true])
  func slices(bounds: (start: Int64, end: Int64, step: Int64, expected: [Double]), isFree: Bool)
    throws
  {
    var making = ModelMaking()
    making.input("x", isFree ? ["n"] : [5])
    for (name, value) in [("s", bounds.start), ("e", bounds.end), ("a", 0), ("t", bounds.step)] {
      making.constant(ModelMaking.ints(name, [1], [value]))
    }
    making.add("Slice", ["x", "s", "e", "a", "t"], ["y"])
    making.output("y")
    let x = ReferenceTensor([5], [0, 1, 2, 3, 4])
    #expect(try making.output(x)?.values == bounds.expected)
  }

  /// Returns y = ConvTranspose(x, ones). Where windows overlap, their results add up.
  private func transposed(
    _ pad: String, kernel: Int, stride: Int64, extra: Int64, isFree: Bool
  ) throws -> [Double]? {
    var making = ModelMaking()
    making.input("x", [1, 1, isFree ? "n" : 3])
    making.constant(
      ModelMaking.floats("w", [1, 1, kernel], [Float](repeating: 1, count: kernel)))
    var name = ONNX.AttributeProto()
    (name.name, name.type, name.s) = ("auto_pad", .string, ByteValues(Array(pad.utf8)))
    var strides = ONNX.AttributeProto()
    (strides.name, strides.type, strides.ints) = ("strides", .ints, [stride])
    var padding = ONNX.AttributeProto()
    (padding.name, padding.type, padding.ints) = ("output_padding", .ints, [extra])
    making.add("ConvTranspose", ["x", "w"], ["y"], name, strides, padding)
    making.output("y")
    let x = ReferenceTensor([1, 1, 3], [1, 10, 100])
    return try making.output(x)?.values
  }

  @Test(
    "A transposed convolution with SAME padding has the input's size × stride, for any output_padding",
    arguments: [false, true])
  func sameSize(isFree: Bool) throws {
    #expect(
      try transposed("SAME_UPPER", kernel: 3, stride: 2, extra: 1, isFree: isFree)
        == [1, 11, 10, 110, 100, 100])
    #expect(
      try transposed("SAME_LOWER", kernel: 4, stride: 2, extra: 1, isFree: isFree)
        == [11, 11, 110, 110, 100, 100])
    // The window is shorter than the stride, so there is nothing to crop.
    #expect(
      try transposed("SAME_UPPER", kernel: 1, stride: 2, extra: 0, isFree: isFree)
        == [1, 0, 10, 0, 100])
  }

  @Test("GatherElements and ScatterElements accept fewer indices than elements")
  func fewerIndices() throws {
    var making = ModelMaking()
    making.input("x", [3, 4])
    making.constant(ModelMaking.ints("at", [2, 2], [3, 0, 1, 1]))
    making.add("GatherElements", ["x", "at"], ["y"], ModelMaking.int("axis", 1))
    making.output("y")
    let x = ReferenceTensor([3, 4], (0..<12).map(Double.init))
    #expect(try making.output(x) == ReferenceTensor([2, 2], [3, 0, 5, 5]))
    var writing = ModelMaking()
    writing.input("x", [3, 4])
    writing.constant(ModelMaking.ints("at", [2, 2], [3, 0, 1, 2]))
    writing.constant(ModelMaking.floats("u", [2, 2], [-1, -2, -3, -4]))
    writing.add("ScatterElements", ["x", "at", "u"], ["y"], ModelMaking.int("axis", 1))
    writing.output("y")
    #expect(
      try writing.output(x)
        == ReferenceTensor([3, 4], [-2, 1, 2, -1, 4, -3, -4, 7, 8, 9, 10, 11]))
  }

  @Test(
    "A resize to sizes that are known only at run time equals one to known sizes",
    arguments: ["linear", "nearest", "cubic"])
  func freeSizes(mode: String) throws {
    var answers: [ReferenceTensor?] = []
    for isFree in [false, true] {
      var making = ModelMaking()
      making.input("x", [1, 2, isFree ? "h" : 5, isFree ? "w" : 4])
      making.constant(ModelMaking.floats("f", [4], [1, 1, 1.5, 2.5]))
      func text(_ name: String, _ value: String) -> ONNX.AttributeProto {
        var result = ONNX.AttributeProto()
        (result.name, result.type, result.s) = (name, .string, ByteValues(Array(value.utf8)))
        return result
      }
      making.add(
        "Resize", ["x", "", "f"], ["y"], text("mode", mode),
        text("coordinate_transformation_mode", "half_pixel"))
      making.output("y")
      let x = ReferenceTensor([1, 2, 5, 4], (0..<40).map { Double($0 * $0 % 17) })
      answers.append(try making.output(x))
    }
    let (known, free) = (try #require(answers[0]), try #require(answers[1]))
    #expect(known.shape == [1, 2, 7, 10] && free.shape == known.shape)
    for (a, b) in zip(known.values, free.values) { #expect(abs(a - b) < 1e-4) }
  }
}
