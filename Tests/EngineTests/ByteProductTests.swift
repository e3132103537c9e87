import CKernels
import Operators
import Testing

@testable import Engine

@Suite("Products of codes of 8 bits")
struct ByteProductTests {
  private static func options(_ bytes: Bool, threads: Int = 2) -> ExecutionOptions {
    var processor = Processor.current
    processor.multipliesBytes = bytes && processor.multipliesBytes
    return ExecutionOptions(precision: .float32, threads: threads, processor: processor)
  }

  private static func network(_ test: CodedNetwork, _ shape: Shape, bytes: Bool = true) throws
    -> Network
  {
    Network(try test.graph(shape), passes: GraphPasses.standard, options: options(bytes))
  }

  @Test("are found, whichever format states them", arguments: CodedNetwork.all)
  func found(test: CodedNetwork) throws {
    let shape: Shape = [2, 3, 13, 10]
    var graph = try test.graph(shape)
    try graph.inferTypes(from: [TensorType(shape)])
    for pass in GraphPasses.standard { try pass.run(on: &graph) }
    let names = graph.nodes.map(\.operation.name)
    #expect(names.count { $0 == "ByteConvolution" } == 2, "\(names)")
    #expect(names.count { $0 == "ByteProduct" } == 1, "\(names)")
    #expect(!names.contains("Convolution") && !names.contains("BatchedMatMul"))
    // Codes stay codes under the maximum; numbers are made once, for the average and the sum.
    let chains = names.count { $0 == "PointwiseChain" || $0 == "BinaryFunction" || $0 == "Byte" }
    #expect(chains <= 5, "\(names)")
  }

  @Test("equal the definition within a step of the output", arguments: CodedNetwork.all)
  func definition(test: CodedNetwork) throws {
    let shape: Shape = [2, 3, 13, 10]
    var picture = ReferenceTensor.random(shape)
    picture.values = picture.values.map { $0 * 3 }
    let expected = try test.graph(shape).reference([picture])[0]
    // Results of float16 are rounded once more.
    let step = Double(CodedNetwork.outputStep) * (test.style == .halves ? 1.07 : 1.001)
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

  @Test("see the padding that codes were given, whatever is subtracted later")
  func padding() throws {
    let builder = GraphBuilder()
    var value = builder.addInput("x", extents: [1, 4, 6, 6].map { Extent($0) })
    value = try builder.add(UnaryFunctionOperator(.round), value, name: "whole")
    value = try builder.add(ClipOperator(minimum: 0, maximum: 255), value, name: "code")
    // A code of 0, which stands for −100.
    value = try builder.add(
      PaddingOperator(amounts: .init(top: 1, bottom: 1, left: 1, right: 1), mode: .constant(0)),
      value, name: "padded")
    value = try builder.add(BinaryFunctionOperator(.subtract, number: 100), value, name: "number")
    let convolution = ConvolutionOperator(
      outputChannels: 16, kernelChannels: 4, hasBias: false)
    let codes = [UInt8]((0..<convolution.weightShape.count).map { UInt8($0 * 37 % 256) })
    let weights = Constant(
      TensorType(convolution.weightShape), StoredValues(codes, of: .int8))
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
    if Processor.current.multipliesBytes { #expect(names.contains("ByteConvolution"), "\(names)") }
    #expect(try network.predict(picture).values == expected.values)
  }

  @Test("give the same bits on any number of threads", arguments: CodedNetwork.all.prefix(2))
  func threads(test: CodedNetwork) throws {
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

  @Test("are left alone where the processor has no instructions for them")
  func withoutInstructions() throws {
    let network = try Self.network(CodedNetwork.all[0], [1, 3, 13, 10], bytes: false)
    let graph = try network.optimizedGraph(for: [TensorType([1, 3, 13, 10])])
    #expect(!graph.nodes.contains { $0.operation.name.hasPrefix("Byte") })
  }

  @Test(
    "keep codes as bytes between them", .enabled(if: Processor.current.multipliesBytes))
  func memory() throws {
    let shape: Shape = [1, 3, 64, 64]
    let plan = try Self.network(CodedNetwork.all[0], shape).plan(for: [TensorType(shape)]).plan
    let calls = try #require(plan.whole).calls
    let first = try #require(calls.first { $0.name == "first" })
    let second = try #require(calls.first { $0.name == "second" })
    #expect(first.outputs[0].form.storage == .uint8)
    #expect(second.inputs[0].form.storage == .uint8)
    #expect(!calls.contains { $0.kernel == "reorder" && $0.outputs[0].form.shape[1] == 16 })
  }
}
