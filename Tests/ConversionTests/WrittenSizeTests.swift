import Conversion
import Engine
import Foundation
import Operators
import Testing

/// Tests that writers limit the size of the constants that they evaluate. A constant's number of elements depends on
/// extents, and a damaged file may state any extents.
@Suite("An extent that a writer computes with")
struct WrittenSizeTests {
  private static let most = Int(Int32.max)

  /// Returns the message with which the writer refuses a model. Nil if the writer writes the model.
  private func refusal(_ model: GraphModel, as ending: String) throws -> String? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try ModelWriters.write(model, to: folder.appendingPathComponent("model.\(ending)"))
      return nil
    } catch let error as EngineError {
      let left: [String] = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
      return error.message
    }
  }

  private func expectRefusal(_ builder: GraphBuilder, as ending: String, _ words: String) throws {
    let sentence: String = try refusal(builder.model(), as: ending) ?? "nothing is refused"
    #expect(sentence.contains(words), "\(sentence)")
    #expect(sentence.contains("'made'"), "\(sentence)")
  }

  private func model(
    of operation: any Operator, _ extents: [Int], weights: [ReferenceTensor] = []
  ) throws -> GraphBuilder {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: extents.map { Extent($0) })
    var inputs: [Graph.ValueID] = operation is RangeStaticOperator ? [] : [x]
    for tensor in weights { inputs.append(builder.addConstant(tensor, name: "w")) }
    let made = try builder.add(operation, inputs, outputs: 1, name: "made")
    builder.addOutput(made[0], name: "y")
    return builder
  }

  @Test(
    "A writer bounds the number of axes of a computed shape",
    arguments: [
      FillDynamicOperator(value: 3), BroadcastToDynamicOperator(), ReshapeDynamicOperator(),
    ] as [any Operator])
  func axes(operation: any Operator) throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [2])
    let shape = builder.addInput("shape", extents: [Extent(Self.most)], element: .int32)
    let inputs: [Graph.ValueID] = operation is FillDynamicOperator ? [shape] : [x, shape]
    let made = try builder.add(operation, inputs, outputs: 1, name: "made")
    builder.addOutput(made[0], name: "y")
    try expectRefusal(
      builder, as: "mlpackage", "its output would have 2147483647 axes, expected at most 64.")
    // Layers do not state the number of axes. An ONNX file states it, so the file is refused when it is read again.
    for ending in ["mlmodel", "onnx"] { _ = try refusal(builder.model(), as: ending) }
  }

  @Test("A writer bounds the batch size of an initial state")
  func state() throws {
    let (units, size) = (2, 3)
    var weights: [ReferenceTensor] = []
    for _ in 0..<3 {
      weights += [ReferenceTensor([units, size]), ReferenceTensor([units, units])]
    }
    let operation = GRUOperator(
      returnsSequence: true, hasBiases: false, sumBound: .infinity)
    try expectRefusal(
      try model(of: operation, [3, Self.most, size, 1, 1], weights: weights), as: "mlpackage",
      "the initial state would have the shape 2147483647 × 2, expected at most 4194304 values")
  }

  @Test("A writer bounds the size of an image whose averages it corrects")
  func averages() throws {
    let operation = PoolingOperator(
      .average, kernelHeight: 3, kernelWidth: 3, strideHeight: 2, strideWidth: 2,
      padding: .includeLastPixel(height: 1, width: 1))
    try expectRefusal(
      try model(of: operation, [1, 3, Self.most, 9]), as: "mlpackage",
      "the factors of its averages would have the shape 1073741824 × 5,")
  }

  @Test("A writer bounds the length of an axis that is split into windows")
  func windows() throws {
    let operation = SlidingWindowsOperator(axis: 1, windowSize: 4, step: 2)
    try expectRefusal(
      try model(of: operation, [2, 8_000_000]), as: "onnx",
      "the indices of its windows would have the shape 3999999 × 4,")
  }

  @Test("A writer bounds the length of a range, a resized axis and a norm without scales")
  func others() throws {
    let range = RangeStaticOperator(start: 0, end: 1e9, step: 1)
    try expectRefusal(
      try model(of: range, [1]), as: "mlpackage", "the range would have the shape 1000000000,")
    let resizing = ResizeOperator(sizes: [Self.most, 2], mode: .nearest, grid: .upsample)
    try expectRefusal(
      try model(of: resizing, [1, 1, 2, 2]), as: "mlpackage",
      "the pixels that it reads would have the shape 2147483647,")
    let norm = LayerNormalizationOperator(normalizedShape: [Self.most])
    try expectRefusal(
      try model(of: norm, [1, Self.most]), as: "onnx",
      "its factors would have the shape 2147483647,")
  }

  @Test(
    "A writer bounds the size of a constant that is computed from settings",
    arguments: ["mlmodel", "mlpackage", "onnx"])
  func constants(ending: String) throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [1])
    let ones = builder.addConstant(Constant.repeating(1, [1 << 14, 1 << 14]), name: "ones")
    let sum = try builder.add(BinaryFunctionOperator(.add), x, ones, name: "sum")
    builder.addOutput(sum, name: "y")
    let expected =
      "'ones' is 16384 × 16384 numbers that are computed from settings, more than the 67108864 that a writer computes."
    #expect(try refusal(builder.model(), as: ending) == expected)
  }

  /// Shape inference does not run on data-dependent extents. But a program states the number of axes of such values.
  @Test("A writer checks the axes of a concatenated, transposed or expanded value")
  func ranks() throws {
    let cases: [(any Operator, String)] = [
      (
        ConcatNDOperator(axis: 0),
        "it joins inputs of 3, 2 axes along axis 0, expected inputs of equal rank and one of their axes."
      ),
      (
        TransposeOperator(axes: [3, 1, 0, 2]),
        "the axes [2, 0, -1, 1] are not a permutation of the input's 3 axes."
      ),
      (
        ExpandDimsOperator(axes: [9]),
        "the axes [9] cannot be added to an input of 3 axes."
      ),
    ]
    for (operation, words) in cases {
      let builder = GraphBuilder()
      let shape = builder.addInput("shape", extents: [3], element: .int32)
      let x = builder.addInput("x", extents: [2, 2])
      let filled = try builder.add(FillDynamicOperator(value: 3), shape, name: "filled")
      let inputs: [Graph.ValueID] = operation is ConcatNDOperator ? [filled, x] : [filled]
      let made = try builder.add(operation, inputs, outputs: 1, name: "made")
      builder.addOutput(made[0], name: "y")
      try expectRefusal(builder, as: "mlpackage", words)
    }
  }
}
