import Engine
import Foundation
import ModelFormat
import NetworkRuns
import ONNXFormat
import Operators
import Testing

/// Tests invalid numbers in small files, and invalid sizes that callers pass. Each must give a message, and nothing may
/// be allocated for it.
@Suite("A stated size or number in an ONNX model")
struct StatedSizeTests {
  private func sentence(_ making: ModelMaking) -> String {
    sentence { _ = try making.read() }
  }

  private func sentence(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  private func number(_ name: String, _ value: Int64) -> ONNX.TensorProto {
    ModelMaking.ints(name, [], [value])
  }

  private func mel(low: Float, bands: Int64 = 8, length: Int64 = 256) -> ModelMaking {
    var making = ModelMaking(opset: 17)
    making.input("x", [1, Int(length) / 2 + 1])
    making.constant(number("bands", bands))
    making.constant(number("length", length))
    making.constant(number("rate", 16_000))
    making.constant(ModelMaking.floats("low", [], [low]))
    making.constant(ModelMaking.floats("high", [], [8000]))
    making.add("MelWeightMatrix", ["bands", "length", "rate", "low", "high"], ["m"])
    making.add("MatMul", ["x", "m"], ["y"])
    making.output("y")
    return making
  }

  @Test("Mel bands that begin below 0 Hz, or at NaN, are refused", arguments: [-1000, Float.nan])
  func melEdges(low: Float) {
    #expect(
      sentence(mel(low: low))
        == "MelWeightMatrix 'm': the bands reach from \(low) to 8000.0 Hz, expected a lower edge of 0 Hz or more and an upper edge above it."
    )
  }

  @Test("Computed weights of 137 GB are refused")
  func melWeights() {
    let found = sentence(mel(low: 0, bands: 65_536, length: 1 << 20))
    #expect(found.contains("more values than one tensor may have"), "\(found)")
  }

  @Test("Weights of 4 GB count against the memory limit before they are computed")
  func melBudget() throws {
    let model = try mel(low: 0, bands: 4096, length: 1 << 19).read()
    let network = Network(
      model.graph, passes: GraphPasses.standard,
      options: ExecutionOptions(threads: 1, memoryLimit: 64 << 20))
    let found = sentence { _ = try network.plan(for: [TensorType([1, 1 << 18 + 1])]) }
    #expect(found.contains("of memory and 0.1 GB is free"), "\(found)")
  }

  @Test("A region that contains NaN is refused")
  func region() {
    var making = ModelMaking(opset: 13)
    making.input("x", [1, 1, 8, 8])
    making.constant(ModelMaking.floats("roi", [8], [0, 0, .nan, 0, 1, 1, 1, 1]))
    making.constant(ModelMaking.ints("sizes", [4], [1, 1, 4, 4]))
    var mode = ONNX.AttributeProto()
    (mode.name, mode.type, mode.s) = ("mode", .string, ByteValues(Array("nearest".utf8)))
    var kind = ONNX.AttributeProto()
    (kind.name, kind.type) = ("coordinate_transformation_mode", .string)
    kind.s = ByteValues(Array("tf_crop_and_resize".utf8))
    making.add("Resize", ["x", "roi", "", "sizes"], ["y"], mode, kind)
    making.output("y")
    #expect(sentence(making).contains("expected finite numbers"), "\(sentence(making))")
  }

  @Test(
    "A number of channels that is not divisible into 2³⁰ groups is refused",
    arguments: [false, true])
  func groups(isOpen: Bool) {
    var making = ModelMaking(opset: 21)
    making.input("x", isOpen ? ["n", "c", 8, 8] : [1, 4, 8, 8])
    making.constant(ModelMaking.floats("g", [4], [1, 1, 1, 1]))
    making.constant(ModelMaking.floats("b", [4], [0, 0, 0, 0]))
    making.add(
      "GroupNormalization", ["x", "g", "b"], ["y"], ModelMaking.int("num_groups", 1 << 30))
    making.output("y")
    #expect(
      sentence(making)
        == "GroupNormalization 'y': 4 channels do not divide into 1073741824 groups.")
  }

  @Test("An axis of 2³⁸ elements cannot be padded with wraparound")
  func wrap() {
    var making = ModelMaking(opset: 19)
    making.input("x", [1, 1 << 38])
    making.constant(ModelMaking.ints("p", [4], [0, 1, 0, 0]))
    var mode = ONNX.AttributeProto()
    (mode.name, mode.type, mode.s) = ("mode", .string, ByteValues(Array("wrap".utf8)))
    making.add("Pad", ["x", "p"], ["y"], mode)
    making.output("y")
    #expect(
      sentence(making).contains(
        "expected at most 4194304 values that a reader or a writer computes itself"),
      "\(sentence(making))")
  }

  @Test("A shape with more extents than any tensor is refused")
  func rank() {
    var making = ModelMaking()
    making.input("shape", [1 << 31 - 1], type: 7)
    making.add("ConstantOfShape", ["shape"], ["y"])
    making.output("y")
    #expect(
      sentence(making)
        == "ConstantOfShape 'y': a shape has 2147483647 extents, expected at most 64.")
  }

  @Test("A shape of no elements with other huge extents is refused")
  func emptyShape() {
    var making = ModelMaking()
    making.input("x", [0])
    making.constant(ModelMaking.ints("shape", [4], [1 << 40, 1 << 40, 1 << 40, 0]))
    making.add("Reshape", ["x", "shape"], ["y"], ModelMaking.int("allowzero", 1))
    making.output("y")
    _ = sentence(making)
    making = ModelMaking()
    making.input("x", [1])
    making.constant(ModelMaking.ints("shape", [2], [.min, .max]))
    making.add("Reshape", ["x", "shape"], ["y"])
    making.output("y")
    #expect(sentence(making).contains("expected sizes or one -1"), "\(sentence(making))")
  }

  /// Builds a network of one operator. The operator's sizes are an input of the network.
  private func sized(_ type: String, mode name: String, x: [Int]) throws -> Network {
    var making = ModelMaking(opset: 17)
    making.input("s", [2 * x.count == 4 ? 4 : x.count], type: 7)
    let count: Int = x.reduce(1, *)
    making.constant(
      ModelMaking.floats("x", x, (0..<count).map { Float($0) }))
    var mode = ONNX.AttributeProto()
    (mode.name, mode.type, mode.s) = ("mode", .string, ByteValues(Array(name.utf8)))
    making.add(type, type == "Pad" ? ["x", "s"] : ["x", "", "", "s"], ["y"], mode)
    making.output("y")
    return Network(
      try making.read().graph, passes: GraphPasses.standard,
      options: ExecutionOptions(threads: 1, memoryLimit: 64 << 20))
  }

  @Test(
    "A size given at run time counts against the memory limit",
    arguments: [
      ("Resize", "linear", [1, 1, 2, 3], [1, 1, 65_536, 65_536]),
      ("Pad", "edge", [2, 3], [0, 0, 65_536, 65_536]),
      ("Pad", "edge", [2, 3], [0, 0, 0, 12 << 20]),
    ])
  func computedSizes(type: String, mode: String, x: [Int], sizes: [Int]) throws {
    let network = try sized(type, mode: mode, x: x)
    let given = ReferenceTensor([sizes.count], integerValues: sizes.map { Int64($0) }, .int32)
    let error = try #require(throws: EngineError.self) { try network.run([given]) }
    #expect(error.code == .outOfMemory, "\(error)")
    // After the refusal, the refused memory is no longer counted. So small sizes run.
    let small: [Int] = type == "Pad" ? [0, 0, 1, 2] : Array(x.dropLast(2)) + [4, 6]
    let made = try network.run([
      ReferenceTensor([sizes.count], integerValues: small.map { Int64($0) }, .int32)
    ])
    #expect(made[0].shape.dimensions == (type == "Pad" ? [3, 5] : small))
  }
}
