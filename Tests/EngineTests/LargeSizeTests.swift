import Engine
import Operators
import ModelFormat
import Testing

/// Tests sizes that a file may state but no machine can compute. Such a size must fail with a message, without an
/// allocation.
@Suite("Large sizes")
struct LargeSizeTests {
  private func refusal(
    _ layers: [Spec.NeuralNetworkLayer], input: [Int64], limit: Int? = 64 << 20
  ) throws -> String? {
    let network = try TestNetwork(layers, input: input)
      .network(ExecutionOptions(threads: 2, memoryLimit: limit))
    do {
      _ = try network.plan(for: [TensorType(Shape(input.map { Int($0) }))])
      return nil
    } catch let error as EngineError {
      return error.message
    }
  }

  @Test("A fill of 2³¹ elements before a convolution is refused by the memory limit")
  func fill() throws {
    var fill = Spec.FillStaticLayerParams()
    fill.targetShape = [65_536, 32_768, 1, 1, 1]
    fill.value = 1
    let layers: [Spec.NeuralNetworkLayer] = [
      Spec.NeuralNetworkLayer(.fillStatic(fill)).named("fill", [], "filled"),
      .convolution(16, 1, kernel: 1).named("convolution", ["filled"], "y"),
    ]
    let sentence: String? = try refusal(layers, input: [1])
    #expect(sentence?.contains("of memory and 0.1 GB is free") == true, "\(sentence ?? "planned")")
  }

  @Test("A batch of more than 2³¹ − 1 images is refused by the memory limit", arguments: [1, 3])
  func batch(kernel: Int) throws {
    let sentence: String? = try refusal(
      [.convolution(2, 1, kernel: kernel, padding: 1).named("convolution", ["x"], "y")],
      input: [1 << 16, 1 << 16, 1, 1, 1])
    #expect(sentence?.contains("of memory and 0.1 GB is free") == true, "\(sentence ?? "planned")")
  }

  @Test("A convolution with padding beyond 32 bits is planned or refused with a message")
  func padding() throws {
    var size = Spec.BorderAmounts.EdgeSizes()
    (size.startEdgeSize, size.endEdgeSize) = (1 << 31 - 1, 1 << 31 - 1)
    var amounts = Spec.BorderAmounts()
    amounts.borderAmounts = [size, size]
    var valid = Spec.ValidPadding()
    valid.paddingAmounts = amounts
    var layer: Spec.NeuralNetworkLayer = .convolution(1, 1, kernel: 1)
    guard case .convolution(var message)? = layer.layer else {
      Issue.record("a convolution was made")
      return
    }
    message.convolutionPaddingType = .valid(valid)
    message.stride = [1 << 31 - 1, 1 << 31 - 1]
    layer.layer = .convolution(message)
    let sentence: String? = try refusal(
      [layer.named("convolution", ["x"], "y")], input: [1, 1, 4, 4])
    #expect(sentence?.hasSuffix(".") ?? true)
  }

  @Test("A band of a matrix with 2³¹ − 1 rows is refused by the memory limit")
  func band() throws {
    var band = Spec.MatrixBandPartLayerParams()
    (band.numLower, band.numUpper) = (1, 1)
    let sentence: String? = try refusal(
      [Spec.NeuralNetworkLayer(.matrixBandPart(band)).named("band", ["x"], "y")],
      input: [1 << 31 - 1, 2])
    #expect(sentence?.contains("of memory and 0.1 GB is free") == true, "\(sentence ?? "planned")")
  }

  @Test("A negative memory limit refuses everything with a message")
  func negativeLimit() throws {
    let layers: [Spec.NeuralNetworkLayer] = [
      .convolution(1, 1, padding: 1).named("convolution", ["x"], "y")
    ]
    let sentence: String? = try refusal(layers, input: [1, 1, 8, 8], limit: -1)
    #expect(sentence?.contains("0.0 GB is free") == true, "\(sentence ?? "planned")")
  }
}
