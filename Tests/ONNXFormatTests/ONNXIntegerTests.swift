import Engine
import ModelFormat
import ONNXFormat
import Testing

/// Tests integers in ONNX models. The results are exact, but int64 numbers are clamped to the range of int32.
@Suite("Integers in an ONNX model")
struct ONNXIntegerTests {
  /// A node that computes with integers, and its result.
  struct Case: Sendable, CustomTestStringConvertible {
    let operation: String
    /// ONNX's number for the element type of all tensors: 6 for int32, 7 for int64.
    var type: Int32 = 7
    var shape: [Int] = []
    let inputs: [[Int64]]
    let answer: [Int64]
    var attributes: [(String, Int64)] = []

    var testDescription: String { "\(operation) of \(inputs), type \(type)" }
  }

  private static let most = Int64(Int32.max)
  private static let least = Int64(Int32.min)

  static let cases: [Case] = [
    Case(
      operation: "Pow", inputs: [[1024, 1100, 3, 10], [2, 2, 12, 9]],
      answer: [1_048_576, 1_210_000, 531_441, 1_000_000_000]),
    Case(
      operation: "Pow", inputs: [[65_536, -65_537, 2], [2, 3, 62]], answer: [most, least, most]),
    Case(operation: "Pow", type: 6, inputs: [[65_537, 2], [2, 31]], answer: [131_073, least]),
    Case(
      operation: "Div", inputs: [[16_777_217, -16_777_217, 7, -7], [1, 1, -2, 2]],
      answer: [16_777_217, -16_777_217, -3, -3]),
    Case(operation: "Div", inputs: [[least], [-1]], answer: [most]),
    Case(
      operation: "Mod", inputs: [[16_777_217, -7, 7], [16_777_216, 3, -3]], answer: [1, 2, -2]),
    Case(
      operation: "Mod", inputs: [[16_777_217, -7, 7], [16_777_216, 3, -3]], answer: [1, -1, 1],
      attributes: [("fmod", 1)]),
    Case(
      operation: "Mul", inputs: [[65_536, -65_536], [65_536, 65_536]], answer: [most, least]),
    Case(
      operation: "Mul", type: 6, inputs: [[65_536, 65_537], [65_536, 65_537]], answer: [0, 131_073]),
    Case(operation: "Add", inputs: [[most, least], [1, -1]], answer: [most, least]),
    Case(operation: "Add", type: 6, inputs: [[most], [1]], answer: [least]),
    Case(operation: "Sub", inputs: [[0, -2], [least, most]], answer: [most, least]),
    Case(operation: "Neg", inputs: [[least, 16_777_217]], answer: [most, -16_777_217]),
    Case(operation: "Abs", inputs: [[least, -16_777_217]], answer: [most, 16_777_217]),
    Case(
      operation: "ReduceMean", inputs: [[16_777_217, 16_777_219, 16_777_222]], answer: [16_777_219]),
    Case(operation: "ReduceSum", inputs: [[most, 1, 1]], answer: [most]),
    Case(operation: "ReduceSum", type: 6, inputs: [[most, 1, 1]], answer: [least + 1]),
    Case(operation: "ReduceProd", inputs: [[65_536, 65_536, -3]], answer: [least]),
    Case(operation: "ReduceSumSquare", inputs: [[65_536, 2]], answer: [most]),
    Case(operation: "ReduceL1", inputs: [[least, -1]], answer: [most]),
    Case(operation: "ReduceL2", inputs: [[16_777_217, 0]], answer: [16_777_217]),
    Case(
      operation: "MatMul", shape: [2, 2],
      inputs: [[16_777_217, 1, 65_536, 0], [3, 0, 2, 65_536]],
      answer: [50_331_653, 65_536, 196_608, 0]),
    Case(
      operation: "MatMul", shape: [2, 2],
      inputs: [[65_536, 65_536, 1, 0], [65_536, 1, 65_536, 1]],
      answer: [most, 131_072, 65_536, 1]),
    Case(
      operation: "Gemm", shape: [2, 2],
      inputs: [[16_777_217, 0, 0, 1], [1, 0, 0, 1], [2, 0, 0, 0]],
      answer: [16_777_219, 0, 0, 1]),
  ]

  @Test(
    "Integers are computed exactly, and clamped if they are stored in fewer bits",
    arguments: cases)
  func exact(test: Case) throws {
    var making = ModelMaking()
    let shape: [Int] = test.shape.isEmpty ? [test.inputs[0].count] : test.shape
    let names: [String] = test.inputs.indices.map { "x\($0)" }
    for name in names { making.input(name, shape, type: test.type) }
    making.model.graph?.node.append(
      ModelMaking.node(
        test.operation, names, ["y"], test.attributes.map { ModelMaking.int($0.0, $0.1) }))
    making.output("y", type: test.type)
    let inputs: [ReferenceTensor] = test.inputs.map {
      ReferenceTensor(Shape(shape), integerValues: $0, .int32)
    }
    let model: GraphModel = try making.read()
    #expect(try model.graph.definition(inputs)[0]?.integerValues == test.answer)
    // A plan must give the same answer.
    let network = Network(
      model.graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let made: [Int64] = try network.plan(for: inputs.map(\.type)).withSession { session in
      for (position, input) in inputs.enumerated() {
        let port: PortTensor = session.input(position)
        TensorCodec.pack(input, as: port.form, into: port.memory)
      }
      try session.run()
      let port: PortTensor = try session.output(0)
      return TensorCodec.unpack(port.memory, as: port.form).integerValues
    }
    #expect(made == test.answer)
  }

  @Test("An integer to the power of a float is exact", arguments: [Float(2), 0.5])
  func floatExponent(exponent: Float) throws {
    var making = ModelMaking()
    making.input("x", [2], type: 7)
    making.constant(ModelMaking.floats("y", [], [exponent]))
    making.add("Pow", ["x", "y"], ["z"])
    making.output("z", type: 7)
    let base: [Int64] = exponent == 2 ? [1024, 46_340] : [1_048_576, 99]
    #expect(
      try making.output(ReferenceTensor([2], integerValues: base, .int32))?.integerValues
        == (exponent == 2 ? [1_048_576, 2_147_395_600] : [1024, 9]))
  }

  @Test("An einsum sums integers exactly")
  func einsum() throws {
    var making = ModelMaking()
    making.input("a", [2, 2], type: 7)
    making.input("b", [2], type: 7)
    var equation = ONNX.AttributeProto()
    (equation.name, equation.type, equation.s) = (
      "equation", .string, ByteValues(Array("ij,j->i".utf8))
    )
    making.add("Einsum", ["a", "b"], ["y"], equation)
    making.output("y", type: 7)
    let a = ReferenceTensor([2, 2], integerValues: [16_777_217, 1, 65_536, 65_536], .int32)
    let b = ReferenceTensor([2], integerValues: [3, 65_536], .int32)
    #expect(try making.output(a, b)?.integerValues == [50_397_187, Self.most])
  }

  @Test("Integers to which updates are added are clamped", arguments: [Int32(6), 7])
  func scattered(type: Int32) throws {
    var making = ModelMaking(opset: 18)
    making.input("x", [2], type: type)
    making.constant(ModelMaking.ints("indices", [2], [0, 0]))
    making.input("updates", [2], type: type)
    var reduction = ONNX.AttributeProto()
    (reduction.name, reduction.type) = ("reduction", .string)
    reduction.s = ByteValues(Array("add".utf8))
    making.add("ScatterElements", ["x", "indices", "updates"], ["y"], reduction)
    making.output("y", type: type)
    let made = try making.output(
      ReferenceTensor([2], integerValues: [Self.most, 4], .int32),
      ReferenceTensor([2], integerValues: [1, 2], .int32))
    #expect(made?.integerValues == [type == 7 ? Self.most : Self.least + 2, 4])
  }

  @Test("Cumulative sums of integers stay in the range")
  func runningSums() throws {
    var making = ModelMaking()
    making.input("x", [3], type: 7)
    making.constant(ModelMaking.ints("axis", [], [0]))
    making.add("CumSum", ["x", "axis"], ["y"])
    making.output("y", type: 7)
    #expect(
      try making.output(ReferenceTensor([3], integerValues: [Self.most, 1, -2], .int32))?
        .integerValues
        == [Self.most, Self.most, Self.most - 1])
  }

  @Test("Integer constants are clamped, but stay exact when shapes are computed from them")
  func constants() throws {
    var making = ModelMaking()
    making.input("x", [2], type: 7)
    making.constant(ModelMaking.ints("large", [2], [4_294_967_298, -4_294_967_298]))
    making.add("Max", ["x", "large"], ["y"])
    making.output("y", type: 7)
    let x = ReferenceTensor([2], integerValues: [5, 5], .int32)
    #expect(try making.output(x)?.integerValues == [Self.most, 5])

    var padding = ModelMaking()
    padding.input("x", [2], type: 7)
    padding.constant(ModelMaking.ints("pads", [2], [1, 1]))
    padding.constant(ModelMaking.ints("value", [], [16_777_217]))
    padding.add("Pad", ["x", "pads", "value"], ["y"])
    padding.output("y", type: 7)
    #expect(try padding.output(x)?.integerValues == [16_777_217, 5, 5, 16_777_217])

    var filling = ModelMaking()
    filling.input("shape", [1], type: 7)
    var value = ONNX.AttributeProto()
    (value.name, value.type, value.t) = ("value", .tensor, ModelMaking.ints("", [1], [16_777_217]))
    filling.add("ConstantOfShape", ["shape"], ["y"], value)
    filling.output("y", type: 7)
    #expect(
      try filling.output(ReferenceTensor([1], integerValues: [3], .int32))?.integerValues
        == [16_777_217, 16_777_217, 16_777_217])
  }
}
