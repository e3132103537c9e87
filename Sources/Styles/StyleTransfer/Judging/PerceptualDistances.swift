import Engine
import ModelTools
import Operators

/// LPIPS: the perceptual distance of two pictures, a weighted sum of differences of normalised features.
///
///     Σ over layers, Σ over channels: wᶜ · mean over pixels of (x̂ᶜ − ŷᶜ)²
///
/// `x̂` and `ŷ` are the features of the two pictures, divided at each pixel by their Euclidean norm over the channels.
///
/// **Source:** Zhang, Isola, Efros, Shechtman and Wang, arXiv:1801.03924; with VGG-16 and version 0.1 of the weights.
struct LPIPS {
  let weights: [String: [Float]]

  /// Adds the mean squared differences `[1, C]` of a layer's normalised features `[1, C, H, W]`.
  static func append(
    to graph: inout Graph, _ first: Graph.ValueID, _ second: Graph.ValueID, name: String
  ) throws -> Graph.ValueID {
    let units: [Graph.ValueID] = try zip([first, second], ["x", "y"]).map { value, side in
      let length: Graph.ValueID = try graph.apply(
        ReduceAxesOperator(.l2, axes: [1], keepsAxes: true), to: [value],
        name: "\(name)/\(side) length")
      let positive: Graph.ValueID = try graph.apply(
        AddOperator(inputCount: 1, alpha: 1e-10), to: [length], name: "\(name)/\(side) divisor")
      return try graph.apply(
        BinaryFunctionOperator(.divide), to: [value, positive], name: "\(name)/\(side) unit")
    }
    let difference: Graph.ValueID = try graph.apply(
      BinaryFunctionOperator(.subtract), to: units, name: "\(name)/difference")
    return try graph.addMeanProduct(difference, difference, name: "\(name)/distance")
  }

  /// Returns the distance, from the values of ``append(to:_:_:name:)`` for each layer.
  func distance(_ differences: [String: [Float]]) -> Double {
    var sum: Double = 0
    for (layer, values) in differences.sorted(by: { $0.key < $1.key }) {
      for (value, weight) in zip(values, weights[layer] ?? []) {
        sum += Double(value) * Double(weight)
      }
    }
    return sum
  }
}

/// DISTS: the perceptual distance of two pictures, from the means and the correlations of their features. It stays
/// small if another piece of the same texture replaces a texture.
///
///     1 − Σ (αᶜ · (2 μx μy + ε) / (μx² + μy² + ε) + βᶜ · (2 σxy + ε) / (σx² + σy² + ε)) / Σ (αᶜ + βᶜ), ε = 10⁻⁶
///
/// The sums are over the channels of the picture itself (0…1) and of five layers of VGG-16 with
/// ``FeaturePooling/hann``.
///
/// **Source:** Ding, Ma, Wang and Simoncelli, arXiv:2004.07728.
struct DISTS {
  let weights: PerceptualWeights

  /// Adds the statistics of a layer's features `[1, C, H, W]` for two pictures: two means, two variances and the
  /// covariance, each `[1, C]`.
  static func append(
    to graph: inout Graph, _ first: Graph.ValueID, _ second: Graph.ValueID, name: String
  ) throws -> [Graph.ValueID] {
    var means: [Graph.ValueID] = []
    var centred: [Graph.ValueID] = []
    for (value, side) in zip([first, second], ["x", "y"]) {
      let mean: Graph.ValueID = try graph.apply(
        ReduceAxesOperator(.mean, axes: [2, 3], keepsAxes: true), to: [value],
        name: "\(name)/\(side) mean")
      means.append(mean)
      centred.append(
        try graph.apply(
          BinaryFunctionOperator(.subtract), to: [value, mean], name: "\(name)/\(side) centred"))
    }
    return means
      + [
        try graph.addMeanProduct(centred[0], centred[0], name: "\(name)/x variance"),
        try graph.addMeanProduct(centred[1], centred[1], name: "\(name)/y variance"),
        try graph.addMeanProduct(centred[0], centred[1], name: "\(name)/covariance"),
      ]
  }

  /// Returns the distance, from the values of ``append(to:_:_:name:)`` for each layer.
  func distance(_ statistics: [String: [[Float]]]) -> Double {
    let epsilon: Double = 1e-6
    var (similarity, total): (Double, Double) = (0, 0)
    for (layer, values) in statistics.sorted(by: { $0.key < $1.key }) {
      let (alpha, beta) = (weights.means[layer] ?? [], weights.structures[layer] ?? [])
      for channel in values[0].indices {
        let numbers: [Double] = values.map { Double($0[channel]) }
        let (x, y) = (numbers[0], numbers[1])
        let means: Double = (2 * x * y + epsilon) / (x * x + y * y + epsilon)
        let structures: Double =
          (2 * numbers[4] + epsilon) / (numbers[2] + numbers[3] + epsilon)
        similarity += Double(alpha[channel]) * means + Double(beta[channel]) * structures
        total += Double(alpha[channel]) + Double(beta[channel])
      }
    }
    return total > 0 ? 1 - similarity / total : 0
  }
}

extension Graph {
  /// Adds the product of two tensors `[1, C, H, W]`, averaged over all pixels. The result is `[1, C]`.
  fileprivate mutating func addMeanProduct(_ first: ValueID, _ second: ValueID, name: String) throws
    -> ValueID
  {
    let product: ValueID = try apply(
      MultiplyOperator(inputCount: 2), to: [first, second], name: "\(name) products")
    return try apply(ReduceAxesOperator(.mean, axes: [2, 3]), to: [product], name: name)
  }
}
