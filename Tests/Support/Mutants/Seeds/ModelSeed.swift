import Graph
import OperatorSamples
import Operators
import ModelFormat
import NeuralNetworkFormat

/// A small intact model that mutants are made from, with values for its inputs.
struct ModelSeed: Sendable {
  /// The label for statistics: the layer's field in the specification, or the kind of model.
  let kind: String
  var model: Spec.Model
  /// Values for each input, by input name. If an input has more elements than values here, the values are repeated.
  var values: [String: [Double]]
}

extension ModelSeed {
  /// Creates a model with one layer from a sample of the layer catalogue. Nil if no specification message describes the
  /// layer.
  init?(_ sample: OperatorSample, kind: String) {
    guard sample.derived == nil else { return nil }
    let names: [String] = sample.layer.input
    var features: [Spec.FeatureDescription] = []
    var values: [String: [Double]] = [:]
    for (position, (name, input)) in zip(names, sample.inputs).enumerated()
    where values[name] == nil {
      features.append(.array(name, input.shape.dimensions))
      values[name] = input.fill.values(input.shape.count, position: position)
    }
    let outputs: [String] = sample.layer.output
    self.init(
      kind: kind, model: .network([sample.layer], isExact: sample.mapping == .exact), values: values
    )
    model.description?.input = features
    var seen: Set<String> = []
    model.description?.output = outputs.filter { seen.insert($0).inserted }.map { .array($0) }
  }

  /// The samples of every layer type that a file can hold, by the type's field in the specification.
  static let byLayerType: [(kind: String, samples: [OperatorSample])] = OperatorCatalog.standard
    .readableLayers.map { layer in
      let samples: [OperatorSample] = OperatorCatalog.standard.samples(of: layer)
        .filter { $0.derived == nil }
      // All valid samples come first. Then come the first samples again, a quarter as many, including invalid ones.
      let good: [OperatorSample] = samples.filter { $0.failure == nil }
      return (layer.field, good.isEmpty ? samples : good + samples.prefix(good.count / 4))
    }
}

extension OperatorSample.Fill {
  /// Returns values for an input with `count` elements. Returns at most 4096 random values, because the caller repeats
  /// the values for a larger input. `position` is the index of the input in the sample.
  func values(_ count: Int, position: Int) -> [Double] {
    var generator = SplitMix64(seed: UInt64(position) &* 0x9E37_79B9 &+ 17)
    if case .values(let list) = self { return list }
    return (0..<min(max(count, 1), 4096)).map { _ in
      switch self {
      case .uniform(let range): generator.uniform(range)
      case .integers(let range): Double(Int.random(in: range, using: &generator))
      case .values: 0
      }
    }
  }
}

extension Spec.Model {
  /// Creates a model with a network of layers. The caller adds the inputs and outputs of the model.
  static func network(_ layers: [Spec.NeuralNetworkLayer], isExact: Bool = true) -> Spec.Model {
    var network = Spec.NeuralNetwork()
    network.layers = layers
    if isExact {
      network.arrayInputShapeMapping = .exactArrayMapping
      network.imageInputShapeMapping = .rank4ImageMapping
    }
    var model = Spec.Model()
    model.specificationVersion = 5
    model.description = Spec.ModelDescription()
    model.type = .neuralNetwork(network)
    return model
  }
}

extension Spec.FeatureDescription {
  /// Describes a float32 array. If `extents` is empty, the description states no shape.
  static func array(_ name: String, _ extents: [Int] = []) -> Spec.FeatureDescription {
    var array = Spec.ArrayFeatureType()
    array.shape = extents.map(Int64.init)
    array.dataType = .float32
    return Spec.FeatureDescription(name, .multiArrayType(array))
  }

  /// Describes an image of this size.
  static func image(_ name: String, width: Int64, height: Int64) -> Spec.FeatureDescription {
    var image = Spec.ImageFeatureType()
    (image.width, image.height, image.colorSpace) = (width, height, .rgb)
    return Spec.FeatureDescription(name, .imageType(image))
  }

  init(_ name: String, _ type: Spec.FeatureType.OneOfType) {
    self.init()
    self.name = name
    self.type = Spec.FeatureType()
    self.type?.type = type
  }
}
