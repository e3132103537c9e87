import Engine
import Imaging
import Operators

/// The style of a painting: a Gram matrix of network features for each layer. It states how often features occur
/// together, but not where.
///
///     G = F · Fᵀ / (C · H · W)
///
/// F are the features, with one row of H · W values for each of the C channels.
///
/// **Source:** Gatys, Ecker and Bethge, arXiv:1508.06576; normalised as in Johnson, Alahi and Fei-Fei,
/// arXiv:1603.08155, so that pictures of different sizes can be compared.
public struct StyleTargets: Sendable, Equatable {
  /// The Gram matrices by layer, each `[1, C, C]`.
  public private(set) var grams: [String: FloatTensor]

  /// The features of the painting for the neighbour loss, by layer.
  public private(set) var neighbors: [String: NeighborTargets] = [:]

  /// The lightness and colours of the painting, for the colour loss. Nil if they are not known.
  public private(set) var colors: ColorMoments?

  /// Creates targets with given Gram matrices.
  public init(grams: [String: FloatTensor], colors: ColorMoments? = nil) {
    self.grams = grams
    self.colors = colors
  }

  /// Computes the targets of a painting at the painting's size.
  ///
  /// - Parameters:
  ///   - painting: The painting, or a part of it.
  ///   - layers: The layers whose Gram matrices are compared.
  ///   - neighborLayers: The layers whose features are compared with their nearest ones.
  ///   - options: The options for running the network. The default precision is float32.
  public init(
    of painting: Picture, by network: FeatureNetwork, layers: [String],
    neighborLayers: [String] = [], options: ExecutionOptions = ExecutionOptions()
  ) throws {
    try self.init(
      planes: painting.planes, height: painting.height, width: painting.width, by: network,
      layers: layers, neighborLayers: neighborLayers, options: options)
  }

  /// Computes the targets of planes `[3, height, width]` of 0…255.
  init(
    planes: [Float], height: Int, width: Int, by network: FeatureNetwork, layers: [String],
    neighborLayers: [String] = [], options: ExecutionOptions = ExecutionOptions()
  ) throws {
    var graph = Graph()
    let input: Graph.ValueID = graph.addInput("painting", [1, 3, height, width])
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: input, layers: layers + neighborLayers.filter { !layers.contains($0) })
    for layer in layers {
      guard let feature = features[layer] else { continue }
      graph.outputs.append(try graph.addGram(of: feature, name: "\(layer) gram"))
    }
    graph.outputs += neighborLayers.compactMap { features[$0] }
    let made: [FloatTensor] = try graph.run([planes], options: options)
    grams = Dictionary(zip(layers, made)) { first, _ in first }
    neighbors = Dictionary(
      zip(neighborLayers, made.dropFirst(layers.count).map(NeighborTargets.init(features:)))
    ) { first, _ in first }
    colors = ColorMoments(planes: planes)
  }

  /// Computes the weighted mean of the targets of several paintings: `Σ weight · G / Σ weight`.
  ///
  /// Minimising the squared difference from this mean also minimises the weighted mean of the squared differences from
  /// all targets. The reason is that these two functions differ by a constant. The colours are the weighted means, too.
  /// There are no ``neighbors``.
  public init(mixing parts: [(targets: StyleTargets, weight: Double)]) throws {
    let total: Double = parts.reduce(0) { $0 + $1.weight }
    guard let first = parts.first, total > 0, parts.allSatisfy({ $0.weight >= 0 }) else {
      throw StyleTransferError(
        .input, "The weights of styles must be numbers of 0 or more, and one of them above 0.")
    }
    grams = first.targets.grams
    neighbors = [:]
    let known: [(colors: ColorMoments, weight: Double)] = parts.compactMap { targets, weight in
      targets.colors.map { ($0, weight / total) }
    }
    func mean(_ values: KeyPath<ColorMoments, [Double]>) -> [Double] {
      (0..<3).map { index in
        known.reduce(0) { $0 + $1.weight * $1.colors[keyPath: values][index] }
      }
    }
    if known.count == parts.count {
      colors = ColorMoments(means: mean(\.means), deviations: mean(\.deviations))
    }
    for (layer, gram) in first.targets.grams {
      var sums = [Double](repeating: 0, count: gram.values.count)
      for (targets, weight) in parts {
        guard let other = targets.grams[layer], other.shape == gram.shape else {
          throw StyleTransferError(
            .input, "Only styles of the same layers can be mixed, but one lacks '\(layer)'.")
        }
        for (index, value) in other.values.enumerated() {
          sums[index] += weight / total * Double(value)
        }
      }
      grams[layer] = FloatTensor(gram.shape, sums.map { Float($0) })
    }
  }

  /// Returns the squared Frobenius norm `‖G‖²` of a Gram matrix.
  func squaredNorm(_ gram: FloatTensor) -> Double {
    gram.values.reduce(0) { $0 + Double($1) * Double($1) }
  }
}

extension Graph {
  /// Adds the computation of the Gram matrix `[N, C, C]` of features `[N, C, H, W]`.
  mutating func addGram(of features: ValueID, name: String) throws -> ValueID {
    let shape: Shape = try knownShape(of: features)
    let factor: Double = 1 / Double(shape[1] * shape[2] * shape[3])
    return try apply(GramMatrixOperator(factor: factor), to: [features], name: name)
  }
}
