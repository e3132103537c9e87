import BookLayers
import CoreML
import Testing

/// Compares the outputs of a network's layers with the outputs that ONNX Runtime computes.
@Suite("Layers against ONNX Runtime", .enabled(if: Fixtures.areAvailable), .serialized)
struct LayerInspectionTests {
  /// The samples of a layer that make_layer_samples.py recorded.
  private struct Samples: Decodable {
    let count: Int
    let meanMagnitude: Double
    let samples: [Float]
  }

  @Test(
    "Every layer matches ONNX Runtime",
    arguments: GoldenModel.all.filter {
      ["FastStyleTransferVanGoghStarryNight", "StyleBlue"].contains($0.name)
    })
  func layers(golden: GoldenModel) throws {
    let all = try JSONDecoder().decode(
      [String: [String: Samples]].self,
      from: Data(contentsOf: Fixtures.expectation("layers.json")))
    let expected: [String: Samples] = try #require(all[golden.name])
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    _ = (ResCropBlockLambda.self, RescaleOutputLambda.self)
    let model = try MLModel(
      contentsOf: Fixtures.model(golden.path), configuration: configuration)
    let inspection = try LayerInspection(model)
    let features = try inspection.prediction(from: golden.input(for: model))
    var compared: Int = 0
    var worst: Double = 0
    for layer in inspection.layers {
      // The ONNX model has no final clipping, and some of its values have other names than ours.
      guard let layerSamples = expected[layer.output],
        let array = features.featureValue(for: layer.name)?.multiArrayValue,
        array.count == layerSamples.count
      else { continue }
      let values: [Float] = try array.floats
      for (index, sample) in layerSamples.samples.enumerated() {
        let element = Int(
          Double(index) * Double(layerSamples.count - 1) / Double(layerSamples.samples.count - 1))
        let difference = Double(abs(values[element] - sample))
        worst = max(worst, difference / layerSamples.meanMagnitude)
      }
      compared += 1
    }
    print("\(golden.name): \(compared) layers, worst difference \(worst) of a layer's mean")
    #expect(compared >= expected.count - 6)
    #expect(worst < 2e-3)
  }

  @Test("A layer requested by its name or its output's name is returned with the model's outputs")
  func byName() throws {
    let golden = try #require(GoldenModel.all.first { $0.name == "StyleBlue" })
    let model = try MLModel(contentsOf: Fixtures.model(golden.path))
    let input = try golden.input(for: model)
    let inspection = try LayerInspection(
      model, layers: ["transformer_encode_1_conv", "transformer_activation1"])
    #expect(
      inspection.layers.map(\.name) == ["transformer_encode_1_conv", "transformer_activation1"])
    let features = try inspection.prediction(from: input)
    let first = features.featureValue(for: "transformer_encode_1_conv")?.multiArrayValue
    #expect(first?.shape.map(\.intValue).suffix(3) == [32, 512, 512])
    let painting = features.featureValue(for: "stylizedImage")?.imageBufferValue
    #expect(painting.map(CVPixelBufferGetWidth) == 512)
  }

  @Test("An unknown layer is refused with the list of layers")
  func unknownLayer() throws {
    let model = try MLModel(contentsOf: Fixtures.model("createml-style/StyleBlue.mlmodel"))
    let error: MLModelError? = #expect(throws: MLModelError.self) {
      try LayerInspection(model, layers: ["conv9"])
    }
    let sentence: String = error?.localizedDescription ?? ""
    #expect(
      sentence.hasPrefix("The model has no layer 'conv9'; it has 'transformer_encode_1_conv', "),
      "\(sentence)")
  }
}
