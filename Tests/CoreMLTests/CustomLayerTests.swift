import BookLayers
import CoreML
import ModelFormat
import Testing

/// Adds the value of the parameter "step" to the input.
final class AddStep: NSObject, MLCustomLayer {
  private let step: Float

  required init(parameters: [String: Any]) throws {
    guard let step = parameters["step"] as? Double else {
      throw MLModelError(.parameters, userInfo: [NSLocalizedDescriptionKey: "There is no step."])
    }
    self.step = Float(step)
  }

  func setWeightData(_ weights: [Data]) throws {}

  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for index in 0..<inputs[0].count {
      outputs[0][index] = NSNumber(value: inputs[0][index].floatValue + step)
    }
  }
}

/// Contains a layer class, to test a nested class name. The layer class fails in every evaluation.
enum Inner {
  final class AlwaysFails: NSObject, MLCustomLayer {
    required init(parameters: [String: Any]) throws {}
    func setWeightData(_ weights: [Data]) throws {}
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
      inputShapes
    }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      throw MLModelError(.generic, userInfo: [NSLocalizedDescriptionKey: "It always does."])
    }
  }
}

@Suite("Custom layers")
struct CustomLayerTests {
  private func input(_ count: Int, shape: [NSNumber]) throws -> MLDictionaryFeatureProvider {
    let array = try MLMultiArray(shape: shape, dataType: .float32)
    for index in 0..<count { array[index] = NSNumber(value: Double(index) / Double(count) * 2 - 1) }
    return try MLDictionaryFeatureProvider(dictionary: ["x": array])
  }

  @Test(
    "A class is found by its name, with or without its module, in any module",
    arguments: [
      "AddStep", "CoreMLTests.AddStep", "AlwaysFails", "Inner.AlwaysFails", "ResCropBlockLambda",
      "BookLayers.ResCropBlockLambda",
    ])
  func lookup(name: String) throws {
    let type = try #require(MLCustomLayerRegistry.layerType(named: name))
    #expect(name.hasSuffix("\(type)"))
  }

  @Test("An unknown class gives Apple's error message")
  func unknown() throws {
    #expect(
      sentence { _ = try SampleModels.custom(["NoSuchLambda"]).loaded() }
        == "Error creating Core ML custom layer implementation from factory for layer "
        + "\"NoSuchLambda\".")
    do {
      _ = try SampleModels.custom(["NoSuchLambda"]).loaded()
    } catch MLModelError.customLayer {
      return
    }
    Issue.record("expected the code customLayer")
  }

  @Test("A class can be registered under any name")
  func registered() throws {
    MLCustomLayerRegistry.register(RescaleOutputLambda.self, for: "some/odd name")
    let model = try SampleModels.custom(["some/odd name"]).loaded()
    let output = try model.prediction(from: input(126, shape: [2, 7, 9]))
    #expect(output.featureValue(for: "y")?.multiArrayValue?[0] == 0)
  }

  @Test(
    "A class receives its parameters; if it rejects them, the error names the class and the reason")
  func parameters() throws {
    var file: Spec.Model = SampleModels.custom(["AddStep"])
    #expect(
      sentence { _ = try file.loaded() }?
        .contains("The class refused the model's parameters or weights: There is no step.") == true)
    guard case .neuralNetwork(var network)? = file.type,
      case .custom(var custom)? = network.layers[0].layer
    else { return }
    var parameter = Spec.CustomLayerParams.CustomLayerParamValue()
    parameter.value = .doubleValue(1.5)
    custom.parameters = ["step": parameter]
    network.layers[0].layer = .custom(custom)
    file.type = .neuralNetwork(network)
    let output = try file.loaded().prediction(from: input(126, shape: [2, 7, 9]))
    #expect(output.featureValue(for: "y")?.multiArrayValue?[0] == 0.5)
  }

  @Test("A layer that throws fails the prediction with its message")
  func throwing() throws {
    let model = try SampleModels.custom(["AlwaysFails"]).loaded()
    #expect(
      sentence { _ = try model.prediction(from: input(126, shape: [2, 7, 9])) }?
        .contains("It always does.") == true)
  }

  @Test("The book's layers match the book, in scalar and vectorised form")
  func book() throws {
    let fast = try SampleModels.custom(["ResCropBlockLambda", "RescaleOutputLambda"]).loaded()
    let plain = try SampleModels.custom(["ResCropBlockLambdaPlain", "RescaleOutputLambdaPlain"])
      .loaded()
    let provider = try input(126, shape: [2, 7, 9])
    let source = try #require(provider["x"]?.multiArrayValue)
    for model in [fast, plain] {
      let output = try model.prediction(from: provider)
      let array = try #require(output.featureValue(for: "y")?.multiArrayValue)
      #expect(array.shape == [1, 1, 2, 3, 5])
      for c in 0..<2 {
        for h in 0..<3 {
          for w in 0..<5 {
            let expected = (source[[c, h + 2, w + 2]].floatValue + 1) * 127.5
            #expect(array[[0, 0, c, h, w]].floatValue == expected)
          }
        }
      }
    }
  }
}
