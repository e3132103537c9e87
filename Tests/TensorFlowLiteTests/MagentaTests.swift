import Conversion
import Engine
import Foundation
import TensorFlowLite
import Testing

@testable import TensorFlowLiteFormat

/// Compares the results of Magenta's two 8-bit networks with LiteRT's results.
@Suite("Magenta's pair", .enabled(if: Fixtures.areAvailable))
struct MagentaTests {
  private struct Recorded: Decodable {
    struct Style: Decodable {
      let photo: String
      let numbers: Data
    }
    let styles: [Style]
    let painting: Data
  }

  private static let recorded: Recorded? = {
    let file: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Expected/magenta.json")
    return (try? Data(contentsOf: file)).flatMap {
      try? JSONDecoder().decode(Recorded.self, from: $0)
    }
  }()

  private func floats(_ data: Data) -> [Float] {
    data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  @Test("The style vector of an image matches LiteRT", arguments: [0, 1])
  func style(_ index: Int) throws {
    let recorded = try #require(Self.recorded)
    let interpreter = try Interpreter(modelPath: Fixtures.predictor.path)
    try interpreter.allocateTensors()
    #expect(try interpreter.input(at: 0).shape == [1, 256, 256, 3])
    try interpreter.copy(
      try Fixtures.middle(of: recorded.styles[index].photo, size: 256), toInputAt: 0)
    try interpreter.invoke()
    let output = try interpreter.output(at: 0)
    #expect(output.shape == [1, 1, 1, 100])
    let distance: Float =
      zip(floats(output.data), floats(recorded.styles[index].numbers)).map { abs($0 - $1) }.max()
      ?? .infinity
    print("style \(index): \(distance)")
    #expect(distance <= 0.05, "\(distance)")
  }

  @Test("The stylised image matches LiteRT")
  func painting() throws {
    let recorded = try #require(Self.recorded)
    let interpreter = try Interpreter(modelPath: Fixtures.transformer.path)
    try interpreter.allocateTensors()
    try interpreter.copy(
      try Fixtures.middle(of: recorded.styles[0].photo, size: 384), toInputAt: 0)
    try interpreter.copy(recorded.styles[1].numbers, toInputAt: 1)
    try interpreter.invoke()
    try expectPainting(floats(try interpreter.output(at: 0).data), recorded)
  }

  @Test("The network gives the same image when it is read as a file of any format")
  func converted() throws {
    let recorded = try #require(Self.recorded)
    let model: GraphModel = try ModelReaders.read(Fixtures.transformer)
    #expect(model.inputs.map { $0.extents?.map(\.fixed) } == [[1, 384, 384, 3], [1, 1, 1, 100]])
    let network = Network(
      model.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    let inputs: [[Float]] = [
      floats(try Fixtures.middle(of: recorded.styles[0].photo, size: 384)),
      floats(recorded.styles[1].numbers),
    ]
    let types: [TensorType] = [[1, 384, 384, 3], [1, 1, 1, 100]].map { TensorType($0) }
    let painting: [Float] = try network.plan(for: types).withSession { session in
      for (index, values) in inputs.enumerated() {
        let tensor: PortTensor = session.input(index)
        TensorCodec.pack(
          ReferenceTensor(tensor.form.shape, values.map(Double.init)), as: tensor.form,
          into: tensor.memory)
      }
      try session.run()
      let output: PortTensor = try session.output(0)
      return TensorCodec.unpack(output.memory, as: output.form).values.map { Float($0) }
    }
    try expectPainting(painting, recorded)
  }

  /// Compares every fourth row and column of a painting with the recorded values.
  private func expectPainting(_ painting: [Float], _ recorded: Recorded) throws {
    try #require(painting.count == 384 * 384 * 3)
    let expected = [UInt8](recorded.painting)
    try #require(expected.count == 96 * 96 * 3)
    var sum: Float = 0
    for row in 0..<96 {
      for column in 0..<96 {
        for channel in 0..<3 {
          let mine: Float = painting[((row * 4) * 384 + column * 4) * 3 + channel] * 255
          sum += abs(mine - Float(expected[(row * 96 + column) * 3 + channel]))
        }
      }
    }
    print("painting: \(sum / Float(expected.count)) of 255")
    #expect(sum / Float(expected.count) <= 2, "\(sum / Float(expected.count)) of 255")
  }

  @Test(
    "No transposes remain inside the networks",
    arguments: [Fixtures.predictor, Fixtures.transformer])
  func transposes(_ file: URL) throws {
    let model = try LiteModel(contentsOf: file)
    func count(_ order: LiteAxisOrder) throws -> Int {
      try model.graph(axisOrder: order).graph.nodes.count { $0.operation is TransposeOperator }
    }
    #expect(try count(.pictures) == 0)
    // Transposes remain only at the inputs and outputs that are in channels-last order.
    #expect(try count(.written) == (file == Fixtures.predictor ? 1 : 2))
  }

  @Test("The weights stay 8-bit values")
  func weights() throws {
    let graph: Graph = try LiteModel(contentsOf: Fixtures.transformer).graph().graph
    let weights: [Constant] = graph.nodes.filter { $0.operation is ConvolutionOperator }
      .compactMap { graph[$0.inputs[1]].constant }
    #expect(weights.count == 42)
    for constant in weights {
      let stored = try #require(constant.stored)
      #expect(stored.byteCount < constant.count + 8 * constant.shape[0] + 8)
    }
  }

  @Test("A network with free heights and widths paints images of other sizes")
  func otherSizes() throws {
    var options = ReadingOptions()
    options.extents["content_image"] = [1, Extent(from: 32), Extent(from: 32), 3]
    let model: GraphModel = try TensorFlowLiteReader.read(Fixtures.transformer, options: options)
    let network = Network(
      model.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    for (height, width) in [(96, 128), (64, 64)] {
      let types: [TensorType] = [TensorType([1, height, width, 3]), TensorType([1, 1, 1, 100])]
      try network.plan(for: types).withSession { session in
        try session.run()
        #expect(try session.output(0).form.shape == [1, height, width, 3])
      }
    }
  }
}
