import Engine
import Layers
import ModelFormat
import Testing

@Suite("Preprocessing")
struct PreprocessingTests {
  private let picture = ReferenceTensor([1, 3, 1, 2], [0, 255, 10, 20, 30, 40])

  private var scaler: Spec.NeuralNetworkImageScaler {
    var message = Spec.NeuralNetworkImageScaler()
    message.channelScale = 0.5
    message.redBias = 1
    message.greenBias = 2
    message.blueBias = 3
    message.grayBias = 4
    return message
  }

  private func check(_ layer: any Layer, _ input: ReferenceTensor, _ expected: [Double]) throws {
    let answer = ReferenceTensor(input.shape, expected)
    #expect(try layer.reference([input]) == [answer])
    let types = try #require(try layer.outputTypes(for: [LayerInput(TensorType(input.shape))]))
    let candidate = try #require(layer.kernels.first)
    for form in Form.all where form.storage == .float32 {
      let outputs = try #require(try form.trial.run(candidate, inputs: [input], outputs: types))
      let comparison = Comparison(outputs[0], to: answer)
      #expect(comparison.error <= 1e-6, "\(comparison)")
    }
  }

  @Test("scales a picture and shifts red, green and blue")
  func redFirst() throws {
    try check(
      ImageScalerLayer(scaler, channels: 3, blueFirst: false), picture,
      [1, 128.5, 7, 12, 18, 23])
  }

  @Test("shifts blue first where the tensor holds blue first")
  func blueFirst() throws {
    try check(
      ImageScalerLayer(scaler, channels: 3, blueFirst: true), picture,
      [3, 130.5, 7, 12, 16, 21])
  }

  @Test("shifts grey pictures by the grey bias")
  func grey() throws {
    try check(
      ImageScalerLayer(scaler, channels: 1, blueFirst: false),
      ReferenceTensor([1, 1, 1, 2], [0, 100]), [4, 54])
  }

  @Test("subtracts a mean image from every sample")
  func meanImage() throws {
    try check(
      MeanImageLayer(mean: [1, 2, 3, 4, 5, 6]),
      ReferenceTensor([2, 3, 1, 2], [Double](repeating: 10, count: 12)),
      [9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4])
  }

  @Test("refuses pictures of another number of channels or another size")
  func refusals() throws {
    let grey = LayerInput(TensorType([1, 1, 2, 2]))
    let channels = try #require(throws: EngineError.self) {
      try ImageScalerLayer(scaler, channels: 3, blueFirst: false).outputTypes(for: [grey])
    }
    #expect(channels.message == "the picture has 1 channels (1 × 1 × 2 × 2), expected 3.")
    let size = try #require(throws: EngineError.self) {
      try MeanImageLayer(mean: [1, 2]).outputTypes(for: [grey])
    }
    #expect(size.message.contains("the picture has 4 values (1 × 1 × 2 × 2), expected"))
  }
}
