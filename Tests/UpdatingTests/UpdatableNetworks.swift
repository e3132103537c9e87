import CoreML
import Foundation
import ModelFormat

/// Small updatable networks.
enum UpdatableNetworks {
  static func number(_ value: Double) -> Spec.DoubleParameter {
    var parameter = Spec.DoubleParameter()
    parameter.defaultValue = value
    return parameter
  }

  static func integer(_ value: Int64) -> Spec.Int64Parameter {
    var parameter = Spec.Int64Parameter()
    parameter.defaultValue = value
    return parameter
  }

  static func sgd(learningRate: Double = 0.1, batch: Int64 = 2) -> Spec.SGDOptimizer {
    var optimizer = Spec.SGDOptimizer()
    optimizer.learningRate = number(learningRate)
    optimizer.miniBatchSize = integer(batch)
    optimizer.momentum = number(0)
    return optimizer
  }

  static func adam() -> Spec.AdamOptimizer {
    var optimizer = Spec.AdamOptimizer()
    optimizer.learningRate = number(0.1)
    optimizer.miniBatchSize = integer(2)
    optimizer.beta1 = number(0.9)
    optimizer.beta2 = number(0.999)
    optimizer.eps = number(1e-8)
    return optimizer
  }

  /// Creates a dense layer that may be trainable.
  static func dense(
    _ name: String, _ weights: [Float], _ bias: [Float]?, from input: String, to output: String,
    isUpdatable: Bool = true, isHalf: Bool = false
  ) -> Spec.NeuralNetworkLayer {
    func parameters(_ values: [Float]) -> Spec.WeightParams {
      var message = Spec.WeightParams()
      if isHalf {
        message.float16Value = ByteValues(
          values.flatMap { value -> [UInt8] in
            let bits: UInt16 = Float16(value).bitPattern
            return [UInt8(bits & 255), UInt8(bits >> 8)]
          })
      } else {
        message.floatValue = FloatValues(values)
      }
      message.isUpdatable = isUpdatable
      return message
    }
    let outputs: Int = bias?.count ?? 1
    var product = Spec.InnerProductLayerParams()
    product.inputChannels = UInt64(weights.count / outputs)
    product.outputChannels = UInt64(outputs)
    product.weights = parameters(weights)
    product.hasBias = bias != nil
    product.bias = bias.map(parameters)
    return layer(.innerProduct(product), name, from: input, to: output, isUpdatable: isUpdatable)
  }

  static func layer(
    _ type: Spec.NeuralNetworkLayer.OneOfLayer, _ name: String, from input: String,
    to output: String, isUpdatable: Bool = false
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer()
    layer.layer = type
    layer.name = name
    layer.input = [input]
    layer.output = [output]
    layer.isUpdatable = isUpdatable
    return layer
  }

  /// Creates the training parameters of a network.
  static func training(
    _ loss: Spec.LossLayer.OneOfLossLayerType, epochs: Int64 = 1,
    _ optimizer: Spec.Optimizer.OneOfOptimizerType = .sgdOptimizer(sgd())
  ) -> Spec.NetworkUpdateParameters {
    var parameters = Spec.NetworkUpdateParameters()
    var layer = Spec.LossLayer()
    layer.name = "loss"
    layer.lossLayerType = loss
    parameters.lossLayers = [layer]
    parameters.optimizer = Spec.Optimizer()
    parameters.optimizer?.optimizerType = optimizer
    parameters.epochs = integer(epochs)
    parameters.shuffle = Spec.BoolParameter()
    parameters.seed = integer(0)
    return parameters
  }

  static func squaredError(
    _ input: String = "y", _ target: String = "y_true"
  ) -> Spec.LossLayer.OneOfLossLayerType {
    var loss = Spec.MeanSquaredErrorLossLayer()
    (loss.input, loss.target) = (input, target)
    return .meanSquaredErrorLossLayer(loss)
  }

  static func crossEntropy(
    _ input: String, _ target: String
  ) -> Spec.LossLayer.OneOfLossLayerType {
    var loss = Spec.CategoricalCrossEntropyLossLayer()
    (loss.input, loss.target) = (input, target)
    return .categoricalCrossEntropyLossLayer(loss)
  }

  /// Builds a network from `x` to `y` that is trained towards `y_true`.
  static func regression(
    _ layers: [Spec.NeuralNetworkLayer], inputs: Int64, outputs: Int64 = 1, isExact: Bool = false,
    training: Spec.NetworkUpdateParameters = training(squaredError())
  ) -> Spec.Model {
    var network = Spec.NeuralNetwork()
    network.layers = layers
    network.updateParams = training
    if isExact { network.arrayInputShapeMapping = .exactArrayMapping }
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .neuralNetwork(network)
    model.description = Spec.ModelDescription()
    model.description?.input = [NeighborModels.array("x", inputs)]
    model.description?.output = [NeighborModels.array("y", outputs)]
    model.description?.trainingInput = [
      NeighborModels.array("x", inputs), NeighborModels.array("y_true", outputs),
    ]
    return model
  }

  /// Builds a network from a `point` of two numbers to the probabilities of "low" and "high", trained on labels.
  static func classifier(epochs: Int64 = 1, weights: [Float] = [0, 0, 0, 0]) -> Spec.Model {
    var network = Spec.NeuralNetworkClassifier()
    network.layers = [
      dense("dense", weights, [0, 0], from: "point", to: "scores"),
      layer(.softmax(Spec.SoftmaxLayerParams()), "softmax", from: "scores", to: "shares"),
    ]
    network.updateParams = training(crossEntropy("shares", "label"), epochs: epochs)
    var labels = Spec.StringVector()
    labels.vector = ["low", "high"]
    network.classLabels = .stringClassLabels(labels)
    var dictionary = Spec.DictionaryFeatureType()
    dictionary.keyType = .stringKeyType(Spec.StringFeatureType())
    let label = NeighborModels.feature("label", .stringType(Spec.StringFeatureType()))
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .neuralNetworkClassifier(network)
    model.description = Spec.ModelDescription()
    model.description?.input = [NeighborModels.array("point", 2)]
    model.description?.output = [
      NeighborModels.feature("shares", .dictionaryType(dictionary)), label,
    ]
    model.description?.predictedFeatureName = "label"
    model.description?.predictedProbabilitiesName = "shares"
    model.description?.trainingInput = [NeighborModels.array("point", 2), label]
    return model
  }

  static func array(_ values: [Float]) -> MLMultiArray {
    MLMultiArray(MLShapedArray<Float>(scalars: values, shape: [values.count]))
  }

  /// Creates a regression example.
  static func example(_ x: [Float], _ y: [Float]) -> [String: Any] {
    ["x": array(x), "y_true": array(y)]
  }

  /// Returns the weights or biases of a layer.
  static func values(_ key: MLParameterKey, of model: MLModel) throws -> [Double] {
    let array = try model.parameterValue(for: key) as! MLMultiArray
    return (0..<array.count).map { array[$0].doubleValue }
  }
}
