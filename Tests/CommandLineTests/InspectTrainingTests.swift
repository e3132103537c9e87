import Foundation
import ModelFormat
import Testing

/// Tests the output of `atelier inspect` for updatable models, custom layers and layer parameters.
@Suite(.enabled(if: Program.isBuilt))
struct InspectTrainingTests {
  private func inspect(_ model: Spec.Model, _ options: String...) throws -> Program.Outcome {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("m.mlmodel")
      try model.write(to: file)
      return try Program.run(["inspect", file.path] + options)
    }
  }

  private func array(_ name: String, _ count: Int64) -> Spec.FeatureDescription {
    var array = Spec.ArrayFeatureType()
    array.shape = [count]
    array.dataType = .float32
    var feature = Spec.FeatureDescription()
    feature.name = name
    feature.type = Spec.FeatureType()
    feature.type?.type = .multiArrayType(array)
    return feature
  }

  private func weights(_ count: Int) -> Spec.WeightParams {
    var message = Spec.WeightParams()
    message.floatValue = FloatValues([Float](repeating: 0.5, count: count))
    message.isUpdatable = true
    return message
  }

  /// Builds a model with six inputs, two outputs and every training parameter.
  private func updatable() -> Spec.Model {
    var product = Spec.InnerProductLayerParams()
    (product.inputChannels, product.outputChannels) = (3, 2)
    product.weights = weights(6)
    product.hasBias = true
    product.bias = weights(2)
    var layer = Spec.NeuralNetworkLayer()
    (layer.name, layer.input, layer.output) = ("dense", ["x"], ["y"])
    layer.layer = .innerProduct(product)
    layer.isUpdatable = true
    var loss = Spec.MeanSquaredErrorLossLayer()
    (loss.input, loss.target) = ("y", "y_true")
    var losses = Spec.LossLayer()
    losses.name = "loss"
    losses.lossLayerType = .meanSquaredErrorLossLayer(loss)
    var rate = Spec.DoubleParameter()
    var range = Spec.DoubleRange()
    (range.minValue, range.maxValue) = (0.001, 0.5)
    rate.defaultValue = 0.125
    rate.allowedValues = .range(range)
    var batch = Spec.Int64Parameter()
    var set = Spec.Int64Set()
    set.values = [32, 16]
    batch.defaultValue = 16
    batch.allowedValues = .set(set)
    var sgd = Spec.SGDOptimizer()
    (sgd.learningRate, sgd.miniBatchSize) = (rate, batch)
    var epochs = Spec.Int64Parameter()
    var allowed = Spec.Int64Range()
    (allowed.minValue, allowed.maxValue) = (1, 100)
    epochs.defaultValue = 10
    epochs.allowedValues = .range(allowed)
    var update = Spec.NetworkUpdateParameters()
    update.lossLayers = [losses]
    update.optimizer = Spec.Optimizer()
    update.optimizer?.optimizerType = .sgdOptimizer(sgd)
    update.epochs = epochs
    var network = Spec.NeuralNetwork()
    network.layers = [layer]
    network.updateParams = update
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .neuralNetwork(network)
    model.description = Spec.ModelDescription()
    model.description?.input = [array("x", 3)]
    model.description?.output = [array("y", 2)]
    model.description?.trainingInput = [array("x", 3), array("y_true", 2)]
    return model
  }

  @Test(
    "An updatable model shows its training inputs, updatable layers, loss, optimiser and parameters"
  )
  func training() throws {
    let outcome = try inspect(updatable())
    #expect(outcome.status == 0, "\(outcome.errors)")
    for line in [
      "learns from       x: array 3 float32", "y_true: array 2 float32",
      "innerProduct 'dense': weights and bias, 8 numbers",
      "meanSquaredError of 'y' and 'y_true'", "sgd",
      "learningRate 0.125 (allowed: 0.001 to 0.5)", "miniBatchSize 16 (allowed: 16, 32)",
      "epochs 10 (allowed: 1 to 100)",
    ] {
      #expect(outcome.output.contains(line + "\n"), "\(line)\n\(outcome.output)")
    }
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(inspect(updatable(), "--json").output.utf8))
        as? [String: Any])
    let training = try #require(json["training"] as? [String: Any])
    #expect(training["optimizer"] as? String == "sgd")
    let parameters = try #require(training["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["value"] as? Double } == [0.125, 16, 10])
    #expect(parameters[0]["minimum"] as? Double == 0.001)
    #expect(parameters[1]["allowed"] as? [Int] == [16, 32])
    #expect(parameters[2]["maximum"] as? Int == 100)
    let inputs = try #require(json["inputs"] as? [[String: Any]])
    #expect(inputs[0]["kind"] as? String == "multiArray")
    #expect(inputs[0]["shape"] as? [Int] == [3] && inputs[0]["dataType"] as? String == "float32")
  }

  @Test("A model that is not updatable shows no training")
  func finished() throws {
    var model: Spec.Model = updatable()
    model.isUpdatable = false
    let outcome = try inspect(model)
    #expect(!outcome.output.contains("learns"), "\(outcome.output)")
  }

  @Test("Each layer shows its shape and its parameters")
  func layers() throws {
    let outcome = try inspect(updatable(), "--stage", "layers")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("innerProduct 'dense' (x) → "), "\(outcome.output)")
    #expect(outcome.output.contains("8 parameters (8 updatable)\n"), "\(outcome.output)")
    #expect(
      outcome.output.contains("m.mlmodel: 8 parameters, 8 of them updatable\n"),
      "\(outcome.output)")
  }

  @Test("Custom layers show their class, description and parameters")
  func customLayers() throws {
    var custom = Spec.CustomLayerParams()
    custom.className = "Swish"
    custom.description = "x times its sigmoid"
    var value = Spec.CustomLayerParams.CustomLayerParamValue()
    value.value = .doubleValue(1.5)
    custom.parameters = ["beta": value]
    var layer = Spec.NeuralNetworkLayer()
    (layer.name, layer.input, layer.output) = ("a", ["x"], ["y"])
    layer.layer = .custom(custom)
    var network = Spec.NeuralNetwork()
    network.layers = [layer]
    var model = Spec.Model()
    model.specificationVersion = 2
    model.type = .neuralNetwork(network)
    let outcome = try inspect(model)
    #expect(
      outcome.output.contains("1 × Swish: x times its sigmoid; beta = 1.5\n"), "\(outcome.output)")
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(inspect(model, "--json").output.utf8))
        as? [String: Any])
    let layers = try #require(json["customLayers"] as? [[String: Any]])
    #expect((layers[0]["parameters"] as? [String: Any])?["beta"] as? Double == 1.5)
  }

  @Test(
    "The book's network has the parameter counts that Keras reports",
    .enabled(if: Fixtures.areAvailable))
  func book() throws {
    let outcome = try Program.run(
      "inspect", Fixtures.starryNight.path, "--stage", "layers", "--json")
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(json["parameterCount"] as? Int == 552_003)
    let rows = try #require(json["rows"] as? [[String: Any]])
    let counts: [Int] = rows.compactMap { $0["parameterCount"] as? Int }
    // These are the parameter counts of the first convolution and the first norm, as printed in the book (see
    // Tests/ListingTests/Book.swift).
    #expect(Array(counts.filter { $0 > 0 }.prefix(2)) == [15616, 256])
    let text = try Program.run("inspect", Fixtures.starryNight.path)
    #expect(
      text.output.contains("5 × ResCropBlockLambda: return x[:, 2:-2, 2:-2]\n"), "\(text.output)")
  }

  @Test(
    "Unavailable compute units are reported as the CPU",
    .enabled(if: Fixtures.areAvailable), arguments: ["cpuAndGPU", "cpuAndNeuralEngine"])
  func computeUnits(units: String) throws {
    let outcome = try Program.run(
      "inspect", Fixtures.digits.path, "--stage", "plan", "--compute-units", units)
    #expect(outcome.output.contains("computed on the processor"), "\(outcome.output)")
    let sentence = "\(units): this machine has no "
    #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    let measured = try Program.run(
      "bench", Fixtures.digits.path, "--runs", "1", "--verbose", "--compute-units", units)
    #expect(measured.errors.contains(sentence), "\(measured.errors)")
    let quiet = try Program.run(
      "bench", Fixtures.digits.path, "--runs", "1", "--compute-units", units)
    #expect(!quiet.errors.contains(sentence), "\(quiet.errors)")
  }
}
