import ModelFormat

extension StyleNetwork {
  /// How a model's weights are stored.
  public enum Storage: Sendable {
    /// As they are trained.
    case float32
    /// Half the size; for models to keep.
    case float16
  }

  /// What a model says about itself.
  public struct Description: Sendable {
    /// What the style is.
    public var summary: String
    /// Who made the model.
    public var author: String
    /// Under which terms it may be used.
    public var license: String
    /// The version of the model.
    public var version: String
    /// What else there is to say, by key.
    public var additional: [String: String]

    /// A description.
    public init(
      summary: String = "Paints pictures in a style.", author: String = "", license: String = "",
      version: String = "1", additional: [String: String] = [:]
    ) {
      self.summary = summary
      self.author = author
      self.license = license
      self.version = version
      self.additional = additional
    }
  }

  /// The key of the metadata that tells the algorithm.
  public static let algorithmKey = "atelier.algorithm"

  /// The network as a Core ML model: a picture of any size in, a painting of the same size out.
  public func model(
    storage: Storage = .float16, description words: Description = Description()
  ) -> Spec.Model {
    var numbers: [StyleParameter: [Float]] = [:]
    for (parameter, value) in zip(parameters, values) { numbers[parameter] = value }
    var network = Spec.NeuralNetwork()
    network.layers = architecture.layers { parameter in
      let value: [Float] = numbers[parameter] ?? []
      return storage == .float16
        ? Spec.WeightParams(float16: value) : Spec.WeightParams(value)
    }
    network.preprocessing = [Self.preprocessing]
    var description = Spec.ModelDescription()
    description.input = [
      feature(StyleArchitecture.inputName, "The picture to paint, of any size.")
    ]
    description.output = [
      feature(StyleArchitecture.outputName, "The painting, of the picture's size.")
    ]
    description.metadata = metadata(words)
    var model = Spec.Model()
    // 3 has flexible sizes and half-precision weights: iOS 12, macOS 10.14.
    model.specificationVersion = 3
    model.description = description
    model.type = .neuralNetwork(network)
    return model
  }

  private func metadata(_ words: Description) -> Spec.Metadata {
    var metadata = Spec.Metadata()
    metadata.shortDescription = words.summary
    metadata.author = words.author
    metadata.license = words.license
    metadata.versionString = words.version
    metadata.userDefined = words.additional
    metadata.userDefined[Self.algorithmKey] = algorithm.rawValue
    metadata.userDefined["com.apple.coreml.model.preview.type"] = "styleTransfer"
    return metadata
  }

  private func feature(_ name: String, _ summary: String) -> Spec.FeatureDescription {
    var range = Spec.SizeRange()
    range.lowerBound = UInt64(architecture.smallestSide)
    range.upperBound = -1
    var sizes = Spec.ImageFeatureType.ImageSizeRange()
    sizes.widthRange = range
    sizes.heightRange = range
    var image = Spec.ImageFeatureType()
    image.width = 512
    image.height = 512
    image.colorSpace = .rgb
    image.sizeFlexibility = .imageSizeRange(sizes)
    var type = Spec.FeatureType()
    type.type = .imageType(image)
    var feature = Spec.FeatureDescription()
    feature.name = name
    feature.shortDescription = summary
    feature.type = type
    return feature
  }

  /// 0…255 becomes −1…1.
  private static var preprocessing: Spec.NeuralNetworkPreprocessing {
    var scaler = Spec.NeuralNetworkImageScaler()
    scaler.channelScale = 1 / 127.5
    scaler.redBias = -1
    scaler.greenBias = -1
    scaler.blueBias = -1
    var preprocessing = Spec.NeuralNetworkPreprocessing()
    preprocessing.featureName = StyleArchitecture.inputName
    preprocessing.preprocessor = .scaler(scaler)
    return preprocessing
  }
}
