import Engine
import Imaging
import ModelTools
import Operators

/// Measures painted pictures with metrics that agree with human judgement. Compares each picture with its photo and
/// with the painting that gave the style.
///
///     let judge = Judge(network: vgg16, weights: try PerceptualWeights(contentsOf: file))
///     let painting = try judge.painting(scream)
///     let judgement = try judge.judge(painted, photo: photo, painting: painting)
///
/// All pictures are scaled to the same longer side first. The same pictures always give the same numbers on the same
/// machine: no measurement is random.
public struct Judge: Sendable {
  /// The layers whose features LPIPS, DISTS and the Gram matrices use.
  public static let layers: [String] = PerceptualWeights.layers
  /// The layer of the features for ``NearestFeatures``.
  public static let nearestLayer = "relu4_1"

  /// The longer side to which all pictures are scaled, in pixels.
  public let side: Int
  private let network: FeatureNetwork
  private let smoothNetwork: FeatureNetwork
  private let weights: PerceptualWeights
  private let options: ExecutionOptions

  /// The measurements of a painting. They serve for all pictures in its style.
  public struct Painting: Sendable {
    fileprivate let colors: ColorDistribution
    fileprivate let targets: StyleTargets
    fileprivate let features: NearestFeatures
  }

  /// Creates a judge.
  ///
  /// - Parameters:
  ///   - network: VGG-16, as `atelier fetch vgg16` gets it.
  ///   - weights: The weights that `atelier fetch judge` gets.
  ///   - side: The longer side to which all pictures are scaled, in pixels.
  ///   - options: The options for running the network. The default precision is float32.
  public init(
    network: FeatureNetwork, weights: PerceptualWeights, side: Int = 512,
    options: ExecutionOptions = ExecutionOptions()
  ) {
    precondition(side > 0, "a side has pixels")
    self.network = network
    self.weights = weights
    self.side = side
    self.options = options
    var smooth = network
    smooth.pooling = .hann
    smoothNetwork = smooth
  }

  /// Measures a painting.
  public func painting(_ picture: Picture) throws -> Painting {
    let scaled: Picture = try scaled(picture, "painting")
    let spread = ColorDistribution(of: scaled)
    guard spread.lightnessSpread > 0 else {
      throw StyleTransferError(
        .input,
        "All pixels of the painting have the same lightness, so there is no contrast to compare"
          + " with. Take another painting.")
    }
    let features: [String: FloatTensor] = try network.features(
      of: FloatTensor([1, 3, scaled.height, scaled.width], scaled.planes),
      layers: [Self.nearestLayer], options: options)
    guard let nearest = features[Self.nearestLayer] else {
      preconditionFailure("the network returns the features that were asked for")
    }
    return Painting(
      colors: spread,
      targets: try StyleTargets(
        of: scaled, by: network, layers: Self.layers, options: options),
      features: try NearestFeatures(of: nearest, options: options))
  }

  /// Judges a painted picture.
  ///
  /// - Parameters:
  ///   - painted: The picture, with the same proportions as the photo.
  ///   - photo: The photo that was painted.
  ///   - painting: The painting that gave the style, from ``painting(_:)`` of the same judge.
  public func judge(_ painted: Picture, photo: Picture, painting: Painting) throws -> Judgement {
    let shown: Picture = try scaled(photo, "photo")
    let own: PictureSize = painted.size.scaled(toLongerSide: side)
    guard abs(own.width - shown.width) <= side / 50, abs(own.height - shown.height) <= side / 50
    else {
      throw StyleTransferError(
        .input,
        "The painted picture has \(painted.size) pixels and the photo \(photo.size), expected the"
          + " same proportions. Name the photo that was painted.")
    }
    let result: Picture = try painted.withoutAlpha.scaled(to: shown.size)
    let colors = ColorDistribution(of: result)
    let comparison: Comparison = try compare(result, shown)
    let distances: NearestFeatures.Distances = try painting.features.distances(
      of: comparison.nearest[0])
    return Judgement(
      contrast: colors.lightnessSpread / painting.colors.lightnessSpread,
      color: colors.distance(to: painting.colors),
      near: distances.near,
      nearOfPhoto: try painting.features.distances(of: comparison.nearest[1]).near,
      cover: distances.cover,
      lpips: LPIPS(weights: weights.lpips).distance(comparison.differences),
      dists: DISTS(weights: weights).distance(try statistics(result, shown)),
      gramErrors: painting.targets.errors(of: comparison.grams))
  }

  /// Scales a picture to the longer side. `role` names the picture in the message.
  private func scaled(_ picture: Picture, _ role: String) throws -> Picture {
    let size: PictureSize = picture.size.scaled(toLongerSide: side)
    guard min(size.width, size.height) >= 16 else {
      throw StyleTransferError(
        .input,
        "The \(role) of \(picture.size) pixels becomes \(size), expected at least 16 pixels on each"
          + " side. Take a picture that is less narrow, or a larger size.")
    }
    return try picture.withoutAlpha.scaled(to: size)
  }

  /// The results of one run of VGG-16 on a painted picture and its photo.
  private struct Comparison {
    /// For each layer, the mean squared difference of the normalised features of each channel.
    var differences: [String: [Float]] = [:]
    /// For each layer, the Gram matrix of the painted picture.
    var grams: [String: FloatTensor] = [:]
    /// The features of ``Judge/nearestLayer``: the painted picture's, then the photo's.
    var nearest: [FloatTensor] = []
  }

  private func compare(_ painted: Picture, _ photo: Picture) throws -> Comparison {
    var graph = Graph()
    let layers: [String] = Self.layers + [Self.nearestLayer]
    let inputs: [Graph.ValueID] = Self.addInputs(of: painted.size, to: &graph)
    let features: [[String: Graph.ValueID]] = try zip(inputs, ["painted/", "photo/"]).map {
      try network.append(to: &graph, picture: $0, layers: layers, prefix: $1)
    }
    func feature(_ index: Int, _ layer: String) -> Graph.ValueID {
      guard let value = features[index][layer] else {
        preconditionFailure("the network returns the features that were asked for")
      }
      return value
    }
    for layer in Self.layers {
      graph.outputs.append(
        try LPIPS.append(to: &graph, feature(0, layer), feature(1, layer), name: layer))
      graph.outputs.append(try graph.addGram(of: feature(0, layer), name: "\(layer) gram"))
    }
    graph.outputs += [feature(0, Self.nearestLayer), feature(1, Self.nearestLayer)]
    let made: [FloatTensor] = try graph.run([painted.planes, photo.planes], options: options)
    var result = Comparison()
    for (index, layer) in Self.layers.enumerated() {
      result.differences[layer] = made[index * 2].values
      result.grams[layer] = made[index * 2 + 1]
    }
    result.nearest = Array(made.suffix(2))
    return result
  }

  /// Returns the statistics for ``DISTS``: those of the pictures' samples and those of each layer's features.
  private func statistics(_ painted: Picture, _ photo: Picture) throws -> [String: [[Float]]] {
    var graph = Graph()
    let inputs: [Graph.ValueID] = Self.addInputs(of: painted.size, to: &graph)
    var pairs: [(name: String, values: [Graph.ValueID])] = []
    pairs.append(
      (
        PerceptualWeights.picture,
        try inputs.enumerated().map { index, input in
          try graph.apply(
            MultiplyOperator(inputCount: 1, alpha: 1 / 255), to: [input], name: "pixels \(index)")
        }
      ))
    let features: [[String: Graph.ValueID]] = try zip(inputs, ["painted/", "photo/"]).map {
      try smoothNetwork.append(to: &graph, picture: $0, layers: Self.layers, prefix: $1)
    }
    for layer in Self.layers { pairs.append((layer, features.compactMap { $0[layer] })) }
    for (name, values) in pairs {
      graph.outputs += try DISTS.append(to: &graph, values[0], values[1], name: name)
    }
    let made: [FloatTensor] = try graph.run([painted.planes, photo.planes], options: options)
    var result: [String: [[Float]]] = [:]
    for (index, pair) in pairs.enumerated() {
      result[pair.name] = made[index * 5..<index * 5 + 5].map(\.values)
    }
    return result
  }

  private static func addInputs(of size: PictureSize, to graph: inout Graph) -> [Graph.ValueID] {
    ["painted", "photo"].map { graph.addInput($0, [1, 3, size.height, size.width]) }
  }
}

extension StyleTargets {
  /// Returns the relative error `‖G − T‖² / ‖T‖²` of Gram matrices by layer, where `T` are the targets.
  func errors(of others: [String: FloatTensor]) -> [String: Double] {
    var result: [String: Double] = [:]
    for (layer, target) in grams {
      guard let other = others[layer] else { continue }
      let difference: Double = zip(target.values, other.values).reduce(0) {
        $0 + (Double($1.0) - Double($1.1)) * (Double($1.0) - Double($1.1))
      }
      result[layer] = difference / squaredNorm(target)
    }
    return result
  }
}
