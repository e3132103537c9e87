import Engine
import Operators
import Training

/// The distance of a picture's features from the nearest features of the painting, summed over separate layers, as a
/// function of the bands of the picture:
///
///     loss = Σ over the layers of (1 − mean over some positions of max over the painting of cos(feature − μ, candidate − μ))
///
/// μ is the mean of the paintings' features in the layer.
///
/// Each evaluation compares a new random choice of the picture's positions. A point holds the values of all bands of a
/// ``LaplacianPyramid``, fine to coarse.
///
/// **Source:** the last phase of Kolkin et al., “Neural Neighbor Style Transfer”, arXiv:2203.13215.
final class LayerNeighborObjective: Objective {
  private let pyramid: LaplacianPyramid
  private let function: DifferentiableFunction
  /// For each group and each of its layers, the positions of the picture from which an evaluation draws.
  private let positions: [[Int32]]
  private let sampleCounts: [Int]
  private var random: SplitMix64

  /// A part of the picture and the features that it may have.
  struct Group {
    /// The pictures of the paintings.
    let paintings: [PaintingParts]
    /// The part of the picture. Nil for the complete picture.
    let mask: StyleMask?
  }

  /// The maximum number of candidates in a layer where a painting has at most this number of positions. Where it has
  /// more, the maximum is `samples`.
  private static let mostPositions = 4096

  /// Plans the computation.
  ///
  /// - Parameter samples: The maximum number of the picture's positions per layer. It is also the maximum number of
  ///   candidates in layers where a painting has more than `mostPositions` positions.
  init(
    _ pyramid: LaplacianPyramid, groups: [Group], network: FeatureNetwork, layers: [String],
    samples: Int, seed: UInt64, options: ExecutionOptions
  ) throws {
    self.pyramid = pyramid
    var random = SplitMix64(seed: seed)
    var graph = Graph()
    let (bands, picture) = try pyramid.append(to: &graph)
    let candidates: [[String: NeighborTargets]] = try groups.map { group in
      try Self.candidates(
        of: group.paintings, network: network, layers: layers, samples: samples, &random, options)
    }
    var terms: [Graph.ValueID] = []
    var positions: [[Int32]] = []
    // The terms of a layer are added before the next layer. So only one layer's rows, and only one layer's gradient, are
    // in memory at a time.
    _ = try network.append(to: &graph, picture: picture, layers: layers) { graph, layer, feature in
      let shape: Shape = try graph.knownShape(of: feature)
      let moved: Graph.ValueID = try graph.apply(
        TransposeOperator(axes: [0, 2, 3, 1]), to: [feature], name: "\(layer) rows")
      let rows: Graph.ValueID = try graph.apply(
        ReshapeOperator(targetShape: [shape[2] * shape[3], shape[1]]), to: [moved],
        name: "\(layer) matrix")
      for (number, group) in groups.enumerated() {
        guard let candidate = candidates[number][layer] else { continue }
        let allowed: [Int32] = Self.positions(group.mask, width: shape[3], height: shape[2])
        guard !allowed.isEmpty else { continue }
        let name = "\(layer) of group \(number)"
        let count: Int = min(samples, allowed.count)
        let input: Graph.ValueID = graph.addInput("positions \(name)", [count])
        positions.append(allowed)
        let share: Double = Double(allowed.count) / Double(shape[2] * shape[3])
        terms.append(
          try Self.term(
            rows, at: input, candidates: candidate, share: share, in: &graph, name: name))
      }
    }
    guard !terms.isEmpty else {
      throw StyleTransferError(.input, "The masks leave no part of the picture to a painting.")
    }
    self.positions = positions
    sampleCounts = positions.map { min(samples, $0.count) }
    self.random = random
    let loss: Graph.ValueID = try graph.addSum(terms, name: "loss")
    function = try DifferentiableFunction(
      graph, loss: loss, withRespectTo: bands, options: options)
  }

  /// The working memory of the computation, in bytes.
  var arenaByteCount: Int { function.arenaByteCount }
  /// The memory of the network's weights and of the candidates, in bytes.
  var constantByteCount: Int { function.plan.constantByteCount }

  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let drawn: [[Float]] = zip(positions, sampleCounts).map { positions, count in
      positions.count == count
        ? positions.map { Float($0) }
        : (0..<count).map { _ in
          Float(positions[Int(random.next() % UInt64(positions.count))])
        }
    }
    let (report, gradients) = try function.evaluate(pyramid.split(point) + drawn)
    gradient = gradients.flatMap { $0 }
    return Double(report[0])
  }

  /// Adds the loss of a layer for a group.
  private static func term(
    _ features: Graph.ValueID, at positions: Graph.ValueID, candidates: NeighborTargets,
    share: Double,
    in graph: inout Graph, name: String
  ) throws -> Graph.ValueID {
    let seen: Graph.ValueID = try graph.apply(
      GatherOperator(axis: 0), to: [features, positions], name: "\(name) seen")
    let mean: Graph.ValueID = graph.addConstant(
      Constant([1, candidates.mean.count], candidates.mean), name: "\(name) mean")
    let weights: Graph.ValueID = graph.addConstant(
      Constant(candidates.candidates.shape, candidates.candidates.values),
      name: "\(name) candidates")
    let cosine: Graph.ValueID = try graph.addNearestCosines(
      of: seen, mean: mean, candidates: weights, name: name)
    let loss: Graph.ValueID = try graph.addOneMinusMean(cosine, name: "\(name) loss")
    guard share < 1 else { return loss }
    return try graph.apply(
      MultiplyOperator(inputCount: 1, alpha: Float(share)), to: [loss], name: "\(name) weighted")
  }

  /// Draws features of paintings for each layer.
  private static func candidates(
    of paintings: [PaintingParts], network: FeatureNetwork, layers: [String], samples: Int,
    _ random: inout SplitMix64, _ options: ExecutionOptions
  ) throws -> [String: NeighborTargets] {
    var drawn: [String: FeatureColumns] = [:]
    var means: [String: [Float]] = [:]
    for painting in paintings {
      // The parts' shares of a number that is large enough for the rounding not to matter.
      let whole = 1 << 20
      let weights: [Double] = painting.shares(of: whole).map { Double($0) / Double(whole) }
      for (part, weight) in zip(painting.parts, weights) {
        var graph = Graph()
        let input: Graph.ValueID = graph.addInput("painting", part.pixels.shape)
        let features: [String: Graph.ValueID] = try network.append(
          to: &graph, picture: input, layers: layers)
        let known: [String] = layers.filter { features[$0] != nil }
        graph.outputs = known.compactMap { features[$0] }
        var number = 0
        // Read one layer after the other, because the features of all layers together are large.
        try graph.run([part.pixels.values], options: options) { feature in
          let layer: String = known[number]
          number += 1
          let (channels, height, width) = (feature.shape[1], feature.shape[2], feature.shape[3])
          let all = FeatureColumns(
            channels: [channels], count: height * width, values: feature.values)
          let allowed: [Int] = part.positions(height: height, width: width)
          let area: Double = Double(allowed.count) / weight
          let limit: Int = max(
            1,
            Int(
              (weight * Double(area <= Double(mostPositions) ? mostPositions : samples)).rounded())
              / paintings.count)
          let indices: [Int] =
            allowed.count <= limit
            ? allowed
            : (0..<limit).map { _ in allowed[Int(random.next() % UInt64(allowed.count))] }
          let taken: FeatureColumns = all.taking(indices)
          drawn[layer] = drawn[layer]?.joined(with: taken) ?? taken
          let share = Float(weight / Double(paintings.count))
          let mean: [Float] = means[layer] ?? [Float](repeating: 0, count: channels)
          let own: [Float] =
            allowed.count == all.count ? all.means : all.taking(allowed).means
          means[layer] = zip(mean, own).map { $0 + share * $1 }
        }
      }
    }
    return drawn.reduce(into: [:]) { result, entry in
      result[entry.key] = NeighborTargets(entry.value, mean: means[entry.key] ?? [])
    }
  }

  /// Returns the positions of a layer where a mask is at least ½.
  private static func positions(_ mask: StyleMask?, width: Int, height: Int) -> [Int32] {
    guard let mask else { return (0..<Int32(width * height)).map { $0 } }
    let fitted: StyleMask = mask.scaled(toWidth: width, height: height)
    return fitted.weights.indices.filter { fitted.weights[$0] >= 0.5 }.map { Int32($0) }
  }
}
