import Engine
import Foundation
import ModelFormat
import ONNXFormat
import Operators
import Testing

@Suite("An ONNX model")
struct ONNXReadingTests {
  /// Calls the body with a temporary folder and removes the folder afterwards.
  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func sentence(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("A model with two outputs of one name is refused with that name", arguments: ["x", "y"])
  func oneNameTwice(_ name: String) throws {
    var making = ModelMaking()
    making.input("x", [3])
    if name == "x" { making.input("x", [3]) }
    making.add("Relu", ["x"], ["y"])
    making.output("y")
    if name == "y" { making.output("y") }
    let kind: String = name == "x" ? "inputs" : "outputs"
    #expect(
      sentence { _ = try making.read() }.contains("The model has two \(kind) named '\(name)'"))
  }

  @Test("A model runs at every size that its free extents allow")
  func freeExtents() throws {
    var making = ModelMaking()
    making.input("x", ["n", 3])
    making.constant(ModelMaking.ints("shape", [2], [-1, 1]))
    making.add("Reshape", ["x", "shape"], ["y"])
    making.output("y")
    let model = try making.read()
    #expect(model.inputs[0].extents == [Extent(symbol: "n"), 3])
    for count in [1, 4] {
      let x = ReferenceTensor([count, 3], repeating: 1)
      #expect(try model.graph.definition([x])[0]?.shape == [count * 3, 1])
    }
  }

  @Test("Col2Im folds windows with sizes from constants or inputs", arguments: [false, true])
  func windows(areInputs: Bool) throws {
    var making = ModelMaking()
    making.input("x", [1, 4, 2])
    if areInputs {
      making.input("extents", [2], type: 7)
      making.input("block", [2], type: 7)
    } else {
      making.constant(ModelMaking.ints("extents", [2], [2, 3]))
      making.constant(ModelMaking.ints("block", [2], [2, 2]))
    }
    making.add("Col2Im", ["x", "extents", "block"], ["y"])
    making.output("y")
    let model = try making.read()
    let x = ReferenceTensor([1, 4, 2], [1, 2, 10, 20, 100, 200, 1000, 2000])
    let sizes: [ReferenceTensor] = [
      ReferenceTensor([2], integerValues: [2, 3], .int32),
      ReferenceTensor([2], integerValues: [2, 2], .int32),
    ]
    let y = try model.graph.definition([x] + (areInputs ? sizes : []))[0]
    #expect(y == ReferenceTensor([1, 1, 2, 3], [1, 12, 20, 100, 1200, 2000]))
  }

  @Test("A model with an unknown operator is refused with the operator's and the node's name")
  func unknownOperator() {
    var making = ModelMaking()
    making.input("x", [1])
    making.add("Frobnicate", ["x"], ["y"])
    making.output("y")
    #expect(
      sentence { _ = try making.read() }
        == "Frobnicate 'y': operators of this type are not supported; Documentation/ONNX.md lists those that are."
    )
  }

  @Test("A model with a cycle is refused with the node's name")
  func circle() {
    var making = ModelMaking()
    making.input("x", [1])
    making.add("Add", ["x", "b"], ["a"])
    making.add("Add", ["x", "a"], ["b"])
    making.output("b")
    #expect(sentence { _ = try making.read() }.hasPrefix("Add 'a': it reads 'b', which no input"))
  }

  @Test("A model with incompatible shapes is refused with the node's name")
  func misfit() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.input("y", [2, 4])
    making.add("Add", ["x", "y"], ["z"])
    making.output("z")
    #expect(sentence { _ = try making.read() }.contains("'z'"))
  }

  @Test("A truncated model is refused with a message")
  func cutOff() {
    var making = ModelMaking()
    making.input("x", [2])
    making.constant(ModelMaking.floats("w", [2], [1, 2]))
    making.add("Add", ["x", "w"], ["y"])
    making.output("y")
    let bytes: [UInt8] = making.model.serialized()
    for count in stride(from: 0, to: bytes.count, by: 3) {
      let text = sentence {
        _ = try ONNXReader.read(ByteValues(Array(bytes.prefix(count))), name: "'cut.onnx'")
      }
      #expect(text.count > 20)
    }
  }

  @Test("A tensor with too few bytes is refused with both counts")
  func shortTensor() {
    var making = ModelMaking()
    making.input("x", [3])
    making.constant(ModelMaking.floats("w", [3], [1, 2]))
    making.add("Add", ["x", "w"], ["y"])
    making.output("y")
    #expect(
      sentence { _ = try making.read() }
        == "the tensor 'w' has 8 bytes, expected 12 for 3 numbers of float32. The file may be truncated."
    )
  }

  @Test("A model of an opset before 7 is refused with a way out")
  func oldOpset() {
    var making = ModelMaking(opset: 6)
    making.input("x", [1])
    making.add("Identity", ["x"], ["y"])
    making.output("y")
    #expect(sentence { _ = try making.read() }.contains("onnx.version_converter"))
  }

  @Test("Weights are read from a separate file")
  func externalData() throws {
    try inFolder { folder in
      let bytes: [Float] = [0, 5, 7]
      try bytes.withUnsafeBytes { Data($0) }.write(to: folder.appendingPathComponent("w.bin"))
      var making = external("w.bin", offset: 4, count: 2)
      #expect(
        try making.read(folder: folder).graph.definition([ReferenceTensor([2], [1, 1])])[0]?.values
          == [6, 8])
      making = external("w.bin", offset: 8, count: 2)
      #expect(sentence { _ = try making.read(folder: folder) }.contains("has 12"))
      making = external("gone.bin", offset: 0, count: 2)
      #expect(
        sentence { _ = try making.read(folder: folder) }.contains("the weight file is missing"))
    }
  }

  private func external(_ location: String, offset: Int, count: Int) -> ModelMaking {
    var making = ModelMaking()
    making.input("x", [count])
    var tensor = ModelMaking.floats("w", [count], [])
    tensor.dataLocation = .external
    for (key, value) in [
      ("location", location), ("offset", "\(offset)"), ("length", "\(count * 4)"),
    ] {
      var entry = ONNX.StringStringEntryProto()
      (entry.key, entry.value) = (key, value)
      tensor.externalData.append(entry)
    }
    making.constant(tensor)
    making.add("Add", ["x", "w"], ["y"])
    making.output("y")
    return making
  }

  @Test("Paths of weight files that lead out of the model's folder are not followed")
  func leavingTheFolder() throws {
    try inFolder { folder in
      let inner = folder.appendingPathComponent("model")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      try Data(count: 8).write(to: folder.appendingPathComponent("secret.bin"))
      try FileManager.default.createSymbolicLink(
        at: inner.appendingPathComponent("link.bin"),
        withDestinationURL: folder.appendingPathComponent("secret.bin"))
      for location in ["../secret.bin", "/etc/passwd", "a/../../secret.bin"] {
        let text = sentence {
          _ = try external(location, offset: 0, count: 2).read(folder: inner)
        }
        #expect(text.contains("expected a path inside of the model's folder"))
      }
      let text = sentence {
        _ = try external("link.bin", offset: 0, count: 2).read(folder: inner)
      }
      #expect(text.contains("leads out of the model's folder"))
    }
  }

  @Test("The branch that a constant condition takes is inlined")
  func knownBranch() throws {
    var making = ModelMaking()
    making.input("x", [2])
    var truth = ONNX.TensorProto()
    (truth.name, truth.dims, truth.dataType, truth.int32Data) = ("c", [], 9, [1])
    making.constant(truth)
    making.add("If", ["c"], ["y"], branch("then_branch", "Neg"), branch("else_branch", "Abs"))
    making.output("y")
    let model = try making.read()
    #expect(model.graph.nodes.allSatisfy { $0.regions.isEmpty })
    #expect(try making.output(ReferenceTensor([2], [1, -2]))?.values == [-1, 2])
  }

  private func branch(_ name: String, _ type: String) -> ONNX.AttributeProto {
    var graph = ONNX.GraphProto()
    graph.node = [ModelMaking.node(type, ["x"], ["\(name)_y"])]
    graph.output = [ModelMaking.info("\(name)_y", [2])]
    return ModelMaking.graph(name, graph)
  }

  @Test("If the condition is an input, the branch is chosen at run time", arguments: [true, false])
  func branch(isTrue: Bool) throws {
    var making = ModelMaking()
    making.input("x", [2])
    making.input("c", [], type: 9)
    making.add("If", ["c"], ["y"], branch("then_branch", "Neg"), branch("else_branch", "Abs"))
    making.output("y")
    let condition = ReferenceTensor([], [isTrue ? 1 : 0])
    #expect(
      try making.output(ReferenceTensor([2], [1, -2]), condition)?.values
        == (isTrue ? [-1, 2] : [1, 2]))
  }

  @Test("A model's local functions are expanded, with the callers' attributes")
  func localFunction() throws {
    var making = ModelMaking()
    making.input("x", [2, 3])
    var function = ONNX.FunctionProto()
    (function.name, function.domain) = ("Rows", "mine")
    (function.input, function.output, function.attribute) = (["a"], ["b"], ["axis"])
    var reference = ONNX.AttributeProto()
    (reference.name, reference.refAttrName, reference.type) = ("axis", "axis", .int)
    function.node = [ModelMaking.node("Flatten", ["a"], ["b"], [reference])]
    making.model.functions = [function]
    making.add("Rows", ["x"], ["y"], ModelMaking.int("axis", 2))
    making.model.graph?.node[0].domain = "mine"
    making.output("y")
    #expect(try making.output(ReferenceTensor([2, 3]))?.shape == [6, 1])
  }

  @Test("A model with a recursive function is refused")
  func endlessFunction() {
    var making = ModelMaking()
    making.input("x", [2])
    var function = ONNX.FunctionProto()
    (function.name, function.domain) = ("Again", "mine")
    (function.input, function.output) = (["a"], ["b"])
    var call = ModelMaking.node("Again", ["a"], ["b"])
    call.domain = "mine"
    function.node = [call]
    making.model.functions = [function]
    making.model.graph?.node = [call]
    making.model.graph?.node[0].input = ["x"]
    making.output("b")
    #expect(sentence { _ = try making.read() }.contains("functions are nested more than"))
  }

  @Test("8-bit quantised values are stored unchanged, with their scales")
  func storedIntegers() throws {
    var making = ModelMaking()
    making.input("x", [1, 16])
    var integers = ONNX.TensorProto()
    (integers.name, integers.dims, integers.dataType) = ("w", [16, 8], 3)
    integers.rawData = ByteValues((0..<128).map { UInt8($0) })
    making.constant(integers)
    making.constant(ModelMaking.floats("s", [8], (0..<8).map { Float($0 + 1) / 8 }))
    making.add("DequantizeLinear", ["w", "s"], ["dense"], ModelMaking.int("axis", 1))
    making.add("MatMul", ["x", "dense"], ["y"])
    making.output("y")
    let model = try making.read()
    let weights = try #require(
      model.graph.values.first { $0.name == "dense" }?.constant)
    #expect(weights.stored?.byteCount ?? 1000 < 200)
    let x = ReferenceTensor([1, 16], repeating: 1)
    let sums: [Double] = (0..<8).map { (column: Int) -> Double in
      let total: Int = (0..<16).reduce(0) { (sum: Int, row: Int) -> Int in sum + row * 8 + column }
      return Double(total) * Double(column + 1) / 8
    }
    #expect(try model.graph.definition([x])[0]?.values == sums)
  }

  @Test(
    "One scale is accepted for a vector, which lacks the usual channel axis", arguments: [[], [1]])
  func scaledVector(dims: [Int]) throws {
    for (type, stored) in [(Int32(3), true), (6, false)] {
      var making = ModelMaking()
      making.input("x", [1, 96])
      var integers = ONNX.TensorProto()
      (integers.name, integers.dims, integers.dataType) = ("c", [96], type)
      let bytes: [UInt8] = (0..<96).flatMap { code in
        stored ? [UInt8(code)] : [UInt8(code), 0, 0, 0]
      }
      integers.rawData = ByteValues(bytes)
      making.constant(integers)
      making.constant(ModelMaking.floats("s", dims, [0.25]))
      making.add("DequantizeLinear", ["c", "s"], ["bias"])
      making.add("Add", ["x", "bias"], ["y"])
      making.output("y")
      let x = ReferenceTensor([1, 96], repeating: 1)
      #expect(try making.output(x)?.values == (0..<96).map { 1 + Double($0) / 4 })
    }
  }

  @Test("64-bit integers are clamped to 32 bits")
  func wideNumbers() throws {
    var making = ModelMaking()
    making.input("x", [8])
    making.constant(ModelMaking.ints("begin", [1], [2]))
    making.constant(ModelMaking.ints("end", [1], [Int64.max]))
    making.add("Slice", ["x", "begin", "end"], ["y"])
    making.output("y")
    let x = ReferenceTensor([8], (0..<8).map(Double.init))
    #expect(try making.output(x)?.values == [2, 3, 4, 5, 6, 7])
  }

  @Test("A model with values that are not tensors is refused with a message")
  func sequences() {
    var making = ModelMaking()
    making.model.graph?.input = [ModelMaking.info("x", [1])]
    making.model.graph?.input[0].type?.value = .sequenceType(ONNX.TypeProto.Sequence())
    making.add("Identity", ["x"], ["y"])
    making.output("y")
    #expect(
      sentence { _ = try making.read() } == "Input 'x' is a sequence, expected a tensor.")
  }
}
