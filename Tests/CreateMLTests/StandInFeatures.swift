import Foundation
import ModelFormat

/// A network with the layers of VGG-16 that the losses use, but with few weights.
enum StandInFeatures {
  /// Writes the model.
  static func write(to file: URL) throws {
    var network = Spec.NeuralNetwork()
    var value: String = "image"
    var channels: Int = 3
    let layers: [(name: String, kernel: UInt64, stride: UInt64)] = [
      ("relu1_2", 3, 1), ("relu2_2", 3, 2), ("relu3_1", 3, 2), ("relu3_3", 1, 1), ("relu4_1", 3, 2),
      ("relu4_3", 1, 1),
    ]
    for (index, (name, kernel, stride)) in layers.enumerated() {
      var convolution = Spec.ConvolutionLayerParams()
      convolution.kernelSize = [kernel, kernel]
      convolution.stride = [stride, stride]
      convolution.kernelChannels = UInt64(channels)
      convolution.outputChannels = 4
      convolution.nGroups = 1
      convolution.convolutionPaddingType = .valid(Spec.ValidPadding())
      var weights = Spec.WeightParams()
      weights.floatValue = FloatValues(
        (0..<channels * 4 * Int(kernel * kernel)).map {
          Float(($0 * 37 + index * 11) % 19) / 19 - 0.45
        })
      convolution.weights = weights
      network.layers.append(layer("conv\(index)", .convolution(convolution), value))
      var rectifier = Spec.ActivationParams()
      rectifier.nonlinearityType = .reLU(Spec.ActivationReLU())
      network.layers.append(layer(name, .activation(rectifier), "conv\(index)"))
      (value, channels) = (name, 4)
    }
    var scaler = Spec.NeuralNetworkImageScaler()
    scaler.channelScale = 1 / 64
    var preprocessing = Spec.NeuralNetworkPreprocessing()
    preprocessing.preprocessor = .scaler(scaler)
    network.preprocessing = [preprocessing]
    var image = Spec.ImageFeatureType()
    (image.width, image.height, image.colorSpace) = (64, 64, .rgb)
    var type = Spec.FeatureType()
    type.type = .imageType(image)
    var input = Spec.FeatureDescription()
    (input.name, input.type) = ("image", type)
    var model = Spec.Model()
    model.specificationVersion = 3
    model.description = Spec.ModelDescription()
    model.description?.input = [input]
    model.type = .neuralNetwork(network)
    try model.write(to: file)
  }

  private static func layer(
    _ name: String, _ kind: Spec.NeuralNetworkLayer.OneOfLayer, _ input: String
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer()
    (layer.name, layer.input, layer.output, layer.layer) = (name, [input], [name], kind)
    return layer
  }
}
