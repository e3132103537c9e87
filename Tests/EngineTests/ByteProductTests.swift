import CKernels
import Operators
import Testing

@testable import Engine

@Suite("Int8 matrix products and convolutions")
struct ByteProductTests {
  private static func options(_ bytes: Bool, threads: Int = 2) -> ExecutionOptions {
    var processor = Processor.current
    processor.hasInt8DotProduct = bytes && processor.hasInt8DotProduct
    return ExecutionOptions(precision: .float32, threads: threads, processor: processor)
  }

  private static func network(_ test: QuantizedNetwork, _ shape: Shape, bytes: Bool = true) throws
    -> Network
  {
    Network(try test.graph(shape), passes: GraphPasses.standard, options: options(bytes))
  }

  @Test(
    "Int8 products are detected in every format's representation", arguments: QuantizedNetwork.all)
  func found(test: QuantizedNetwork) throws {
    let shape: Shape = [2, 3, 13, 10]
    var graph = try test.graph(shape)
    try graph.inferTypes(from: [TensorType(shape)])
    for pass in GraphPasses.standard { try pass.run(on: &graph) }
    let names = graph.nodes.map(\.operation.name)
    #expect(names.count { $0 == "ByteConvolution" } == 2, "\(names)")
    #expect(names.count { $0 == "ByteProduct" } == 1, "\(names)")
    #expect(!names.contains("Convolution") && !names.contains("BatchedMatMul"))
    // Values stay quantised through the max pooling. They are dequantised only once, for the average and the sum.
    let chains = names.count { $0 == "PointwiseChain" || $0 == "BinaryFunction" || $0 == "Byte" }
    #expect(chains <= 5, "\(names)")
  }

  @Test(
    "Int8 products match the definition within one quantisation step of the output",
    arguments: QuantizedNetwork.all)
  func definition(test: QuantizedNetwork) throws {
    let shape: Shape = [2, 3, 13, 10]
    var picture = ReferenceTensor.random(shape)
    picture.values = picture.values.map { $0 * 3 }
    let expected = try test.graph(shape).reference([picture])[0]
    // float16 results are rounded once more than float32 results.
    let step = Double(QuantizedNetwork.outputStep) * (test.style == .halves ? 1.07 : 1.001)
    #expect(Set(expected.values).count > 4)
    defer { ck_limit_instructions(3) }
    for (bytes, instructions) in [(true, 3), (true, 2), (true, 1), (true, 0), (false, 3)] {
      ck_limit_instructions(Int32(instructions))
      let made = try Self.network(test, shape, bytes: bytes).predict(picture)
      let most = zip(made.values, expected.values).map { abs($0 - $1) }.max() ?? 0
      #expect(most <= step, "\(most / step) steps, bytes: \(bytes), \(instructions)")
      let changed = zip(made.values, expected.values).count { abs($0 - $1) > step / 2 }
      #expect(changed * 10 <= expected.values.count)
    }
  }

  @Test("Int8 convolutions pad with the values stated before quantisation, for any zero point")
  func padding() throws {
    let builder = GraphBuilder()
    var value = builder.addInput("x", extents: [1, 4, 6, 6].map { Extent($0) })
    value = try builder.add(UnaryFunctionOperator(.round), value, name: "rounded")
    value = try builder.add(ClipOperator(minimum: 0, maximum: 255), value, name: "code")
    // The quantised value 0 represents −100.
    value = try builder.add(
      PaddingOperator(amounts: .init(top: 1, bottom: 1, left: 1, right: 1), mode: .constant(0)),
      value, name: "padded")
    value = try builder.add(BinaryFunctionOperator(.subtract, number: 100), value, name: "number")
    let convolution = ConvolutionOperator(
      outputChannels: 16, kernelChannels: 4, hasBias: false)
    let values = [UInt8]((0..<convolution.weightShape.count).map { UInt8($0 * 37 % 256) })
    let weights = Constant(
      TensorType(convolution.weightShape), StoredValues(values, of: .int8))
    let made = try builder.add(
      convolution, [value, builder.addConstant(weights, name: "W")], name: "sum")[0]
    builder.addOutput(made, name: "y")
    let graph = builder.graph
    var picture = ReferenceTensor.random([1, 4, 6, 6])
    picture.values = picture.values.map { ($0 * 200 + 100).rounded() }
    let expected = try graph.reference([picture])[0]
    let network = Network(graph, passes: GraphPasses.standard, options: Self.options(true))
    let names = try network.optimizedGraph(for: [TensorType([1, 4, 6, 6])]).nodes.map(
      \.operation.name)
    if Processor.current.hasInt8DotProduct {
      #expect(names.contains("ByteConvolution"), "\(names)")
    }
    #expect(try network.predict(picture).values == expected.values)
  }

  @Test(
    "Int8 products give the same bits for every number of threads",
    arguments: QuantizedNetwork.all.prefix(2))
  func threads(test: QuantizedNetwork) throws {
    let shape: Shape = [1, 3, 29, 31]
    let picture = ReferenceTensor.random(shape)
    let graph = try test.graph(shape)
    let answers = try [1, 2, 3].map { threads in
      try Network(
        graph, passes: GraphPasses.standard, options: Self.options(true, threads: threads)
      ).predict(picture)
    }
    #expect(answers[0] == answers[1] && answers[1] == answers[2])
  }

  @Test("Without int8 dot products in the processor, quantised layers stay unchanged")
  func withoutInstructions() throws {
    let network = try Self.network(QuantizedNetwork.all[0], [1, 3, 13, 10], bytes: false)
    let graph = try network.optimizedGraph(for: [TensorType([1, 3, 13, 10])])
    #expect(!graph.nodes.contains { $0.operation.name.hasPrefix("Byte") })
  }

  @Test(
    "Between two int8 products, quantised values are stored as bytes",
    .enabled(if: Processor.current.hasInt8DotProduct))
  func memory() throws {
    let shape: Shape = [1, 3, 64, 64]
    let plan = try Self.network(QuantizedNetwork.all[0], shape).plan(for: [TensorType(shape)]).plan
    let calls = try #require(plan.whole).calls
    let first = try #require(calls.first { $0.name == "first" })
    let second = try #require(calls.first { $0.name == "second" })
    #expect(first.outputs[0].form.storage == .uint8)
    #expect(second.inputs[0].form.storage == .uint8)
    #expect(!calls.contains { $0.kernel == "reorder" && $0.outputs[0].form.shape[1] == 16 })
  }
}
