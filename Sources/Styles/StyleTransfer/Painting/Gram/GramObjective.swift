import Engine
import Operators
import Training

/// The distance of a picture from the Gram matrices of paintings and from the features of a photo, as a function of its
/// pixels `[3, height, width]`, 0…255:
///
///     loss = Σ wₗ · ‖Gₗ − Gₗ′‖² / Σ|Gₗ − Gₗ′|  +  w · ‖φ − φ′‖² / Σ|φ − φ′|  +  2 · mean(dx² + dy²)
///
/// Gₗ = F · Fᵀ / (H · W) are the Gram matrices of the picture's features, and φ are its features in the content layer.
/// Gₗ′ are the paintings' and φ′ are the photo's. Because each term is divided by its own sum of magnitudes, no layer
/// outweighs the others when painting begins. dx and dy are differences between neighbouring samples of 0…1.
///
/// **Source:** Gatys, Ecker and Bethge, arXiv:1508.06576; the form of the terms and the weights: crowsonkb,
/// style-transfer-pytorch.
final class GramObjective: Objective {
  private let function: DifferentiableFunction

  /// A part of the picture, and the style of its paintings.
  struct Group {
    /// The Gram matrix `[1, C, C]` of each style layer, as in ``StyleTargets``.
    let grams: [FloatTensor]
    /// The part of the picture, with its border. Nil for the complete picture.
    let mask: StyleMask?
  }

  /// The layers, and the factors of their losses.
  struct Weights: Equatable {
    /// The style layers.
    var style: [PerceptualLoss.Term]
    /// The layer of the content loss. Nil for no content loss.
    var content: PerceptualLoss.Term?
    /// The factor of the smoothness loss.
    var smoothness: Double
  }

  /// Plans the computation for a picture `[1, 3, height, width]`.
  ///
  /// - Parameter photo: The features of the photo in the content layer. Nil without a content loss.
  init(
    _ shape: Shape, groups: [Group], photo: FloatTensor?, weights: Weights,
    network: FeatureNetwork, options: ExecutionOptions
  ) throws {
    var graph = Graph()
    let picture: Graph.ValueID = graph.addInput("picture", shape)
    var layers: [String] = weights.style.map(\.layer)
    if let content = weights.content, !layers.contains(content.layer) {
      layers.append(content.layer)
    }
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: picture, layers: layers)
    var terms: [Graph.ValueID] = []
    for (index, term) in weights.style.enumerated() where term.weight > 0 {
      guard let feature = features[term.layer] else { continue }
      for (number, group) in groups.enumerated() {
        let name = "style \(number) \(term.layer)"
        if let (seen, share) = try Self.masked(feature, group.mask, in: &graph, name: name) {
          let gram: Graph.ValueID = try graph.addGram(of: seen, name: "\(name) gram")
          // `addGram` divides by C · H · W, but the formula divides by H · W only. So the term is multiplied by C.
          let channels = Double(try graph.knownShape(of: feature)[1])
          let target: Graph.ValueID = graph.addConstant(
            Constant(group.grams[index].shape, group.grams[index].values), name: "\(name) target")
          terms.append(
            try graph.addScaledDifference(
              gram, target, factor: term.weight * share * channels,
              name: name))
        }
      }
    }
    if let content = weights.content, let photo, let feature = features[content.layer] {
      let target: Graph.ValueID = graph.addConstant(
        Constant(photo.shape, photo.values), name: "content target")
      terms.append(
        try graph.addScaledDifference(feature, target, factor: content.weight, name: "content"))
    }
    terms += try graph.addVariation(of: picture, factor: weights.smoothness)
    let loss: Graph.ValueID = try graph.addSum(terms, name: "loss")
    function = try DifferentiableFunction(
      graph, loss: loss, withRespectTo: [picture], options: options)
  }

  /// The working memory of the computation, in bytes. It is proportional to the area of the picture.
  var arenaByteCount: Int { function.arenaByteCount }
  /// The memory of the network's weights and of the targets, in bytes.
  var constantByteCount: Int { function.plan.constantByteCount }

  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let (report, gradients) = try function.evaluate([point])
    gradient = gradients[0]
    return Double(report[0])
  }

  /// Multiplies features by a mask, so that their Gram matrix is that of the covered part. Returns the result and the
  /// share of the picture that the mask covers. Returns nil if the mask covers nothing at the layer's resolution.
  ///
  /// **Source:** Gatys et al., arXiv:1611.07865, section 4.1.
  private static func masked(
    _ feature: Graph.ValueID, _ mask: StyleMask?, in graph: inout Graph, name: String
  ) throws -> (Graph.ValueID, share: Double)? {
    guard let mask else { return (feature, 1) }
    let shape: Shape = try graph.knownShape(of: feature)
    let fitted: StyleMask = mask.scaled(toWidth: shape[3], height: shape[2])
    let passed: Double = fitted.weights.reduce(0) { $0 + Double($1) * Double($1) }
    guard passed > 0.5 else { return nil }
    let factor = Float((Double(fitted.weights.count) / passed).squareRoot())
    let weights: Graph.ValueID = graph.addConstant(
      Constant([1, 1, shape[2], shape[3]], fitted.weights.map { $0 * factor }),
      name: "\(name) mask")
    let seen: Graph.ValueID = try graph.apply(
      MultiplyOperator(inputCount: 2), to: [feature, weights], name: "\(name) masked")
    return (seen, fitted.coverage)
  }
}

extension Graph {
  /// Adds `factor · Σ d² / Σ |d|` for the difference d of two values. The result has one element.
  fileprivate mutating func addScaledDifference(
    _ first: ValueID, _ second: ValueID, factor: Double, name: String
  ) throws -> ValueID {
    let difference: ValueID = try apply(
      BinaryFunctionOperator(.subtract), to: [first, second], name: "\(name) difference")
    let squares: ValueID = try addSquares(difference, factor: factor, name: "\(name) squares")
    let magnitudes: ValueID = try apply(
      ReduceAxesOperator(.l1, axes: [], keepsAxes: false), to: [difference],
      name: "\(name) magnitudes")
    let inverse: ValueID = try apply(
      UnaryOperator(.inverse(epsilon: 1e-8)), to: [magnitudes], name: "\(name) inverse")
    return try apply(MultiplyOperator(inputCount: 2), to: [squares, inverse], name: name)
  }
}
