import Engine
import Operators

/// The style that each picture of a batch should have, as inputs of a graph. A picture without a style should equal its
/// photo.
struct ChosenStyles {
  /// The targets of the styles, and nil for the style that reproduces the photo.
  let targets: [StyleTargets?]
  /// The inputs with the Gram matrices `[N, C, C]` by layer, multiplied by ``factors``.
  let grams: [String: Graph.ValueID]
  /// The inputs with the square roots of the factors of the style losses by layer, `[N, 1, 1]`. 0 without a style.
  let factors: [String: Graph.ValueID]
  /// The inputs with the means and deviations of the colours, `[N, 3, 1, 1]`, multiplied by ``isPainted``.
  let colors: (means: Graph.ValueID, deviations: Graph.ValueID)
  /// The inputs of the neighbour loss by layer: the means of the features, `[N, 1, C]`, and the candidates,
  /// `[N, C, count]`.
  let neighbors: [String: (mean: Graph.ValueID, candidates: Graph.ValueID)]
  /// The input that is 1 for a picture with the style of a painting and 0 otherwise, `[N, 1, 1, 1]`.
  let isPainted: Graph.ValueID
  /// The input that is 1 for a picture that should equal its photo and 0 otherwise, `[N, 1, 1, 1]`.
  let isPhoto: Graph.ValueID
  /// The values of the inputs for one picture, by style, in the order of the inputs.
  private let rows: [[[Float]]]

  /// The factor of the mean squared difference between a picture and the photo that it should equal, in units of full
  /// scale. With this factor, the loss of a grey picture is near 1, as is the style loss of a picture without features.
  static let photoWeight: Double = 10

  /// Adds the inputs for a batch to a graph.
  init(
    _ targets: [StyleTargets?], loss: PerceptualLoss, batch: Int, to graph: inout Graph
  ) throws {
    self.targets = targets
    var (grams, factors): ([String: Graph.ValueID], [String: Graph.ValueID]) = ([:], [:])
    for term in loss.style {
      guard let channels = targets.lazy.compactMap({ $0?.grams[term.layer] }).first?.shape[1] else {
        throw StyleTransferError(
          .input,
          "No style has a Gram matrix of layer '\(term.layer)', which the loss compares.")
      }
      grams[term.layer] = graph.addInput("\(term.layer) target", [batch, channels, channels])
      factors[term.layer] = graph.addInput("\(term.layer) factor", [batch, 1, 1])
    }
    (self.grams, self.factors) = (grams, factors)
    colors = (
      graph.addInput("means target", [batch, 3, 1, 1]),
      graph.addInput("deviations target", [batch, 3, 1, 1])
    )
    var neighbors: [String: (mean: Graph.ValueID, candidates: Graph.ValueID)] = [:]
    var sizes: Sizes = Sizes()
    for term in loss.neighbors {
      let known: [NeighborTargets] = targets.compactMap { $0?.neighbors[term.layer] }
      guard let channels = known.first?.mean.count, let count = known.map(\.count).max() else {
        throw StyleTransferError(
          .input, "No style has features of layer '\(term.layer)', which the loss compares.")
      }
      sizes.neighbors.append((channels, count))
      neighbors[term.layer] = (
        graph.addInput("\(term.layer) mean", [batch, 1, channels]),
        graph.addInput("\(term.layer) candidates", [batch, channels, count])
      )
    }
    self.neighbors = neighbors
    isPainted = graph.addInput("is painted", [batch, 1, 1, 1])
    isPhoto = graph.addInput("is photo", [batch, 1, 1, 1])
    sizes.grams = loss.style.map { term in
      targets.lazy.compactMap { $0?.grams[term.layer]?.values.count }.first ?? 0
    }
    rows = targets.map { Self.row(of: $0, loss: loss, sizes: sizes) }
  }

  /// The sizes of the inputs.
  private struct Sizes {
    /// The numbers of elements of the Gram matrices.
    var grams: [Int] = []
    /// The numbers of channels and candidates of the neighbour loss.
    var neighbors: [(channels: Int, count: Int)] = []
  }

  /// Returns the values of the inputs for a picture of a style.
  private static func row(
    of target: StyleTargets?, loss: PerceptualLoss, sizes: Sizes
  ) -> [[Float]] {
    var row: [[Float]] = []
    for (term, size) in zip(loss.style, sizes.grams) {
      guard let target, let gram = target.grams[term.layer] else {
        row += [[Float](repeating: 0, count: size), [0]]
        continue
      }
      let factor = Float(
        target.factor(of: term.layer, among: loss.style, loss.styleNormalization).squareRoot())
      row += [gram.values.map { $0 * factor }, [factor]]
    }
    for part in [\ColorMoments.means, \.deviations] {
      row.append(target?.colors.map { $0[keyPath: part].map { Float($0) } } ?? [0, 0, 0])
    }
    for (term, size) in zip(loss.neighbors, sizes.neighbors) {
      let found: NeighborTargets? = target?.neighbors[term.layer]
      row.append(found?.mean ?? [Float](repeating: 0, count: size.channels))
      row.append(
        found?.repeated(to: size.count)
          ?? [Float](repeating: 0, count: size.channels * size.count))
    }
    return row + (target == nil ? [[0], [1]] : [[1], [0]])
  }

  /// Returns the values of the inputs, in their order in the graph.
  ///
  /// - Parameter styles: The style of each picture, an index of ``targets``.
  func values(of styles: [Int]) -> [[Float]] {
    (rows.first?.indices ?? 0..<0).map { input in styles.flatMap { rows[$0][input] } }
  }
}

extension PerceptualLoss {
  /// Adds the loss of a batch of pictures in different styles to a graph. Each loss is the mean over the pictures.
  ///
  /// The content loss is that of ``append(to:picture:content:styles:network:)``. The style and colour losses of a picture
  /// are those of its style. If the picture should equal its photo, its style loss is the mean squared difference
  /// between the two.
  func append(
    to graph: inout Graph, picture: Graph.ValueID, photo: Graph.ValueID, chosen: ChosenStyles,
    network: FeatureNetwork
  ) throws -> Values {
    let batch = Double(try graph.knownShape(of: picture)[0])
    var layers: [String] = contentLayers
    for layer in styleLayers + neighborLayers where !layers.contains(layer) { layers.append(layer) }
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: picture, layers: layers, prefix: "loss/")
    let compared: [Term] = self.content.filter { $0.weight != 0 }
    guard !compared.isEmpty else {
      throw StyleTransferError(.input, "The loss has no content layer, expected at least one.")
    }
    let shown: [String: Graph.ValueID] = try contentFeatures(
      .picture(photo), compared, in: &graph, network)
    let content: Graph.ValueID = try graph.addSum(
      addContent(compared, of: features, comparedWith: shown, to: &graph), name: "loss/content")
    let smoothness: Graph.ValueID? = try addSmoothness(of: picture, to: &graph)
    var terms: [Graph.ValueID] = []
    for term in style {
      guard let made = features[term.layer], let target = chosen.grams[term.layer],
        let factor = chosen.factors[term.layer]
      else { continue }
      let name = "loss/style \(term.layer)"
      let gram: Graph.ValueID = try graph.addGram(of: made, name: "\(name) gram")
      let scaled: Graph.ValueID = try graph.apply(
        MultiplyOperator(inputCount: 2), to: [gram, factor], name: "\(name) scaled")
      terms.append(
        try graph.addSquaredDifference(
          scaled, target, factor: styleWeight * term.weight / batch, name: name))
    }
    let difference: Graph.ValueID = try graph.apply(
      BinaryFunctionOperator(.subtract), to: [picture, photo], name: "loss/photo difference")
    let ofPhotos: Graph.ValueID = try graph.apply(
      MultiplyOperator(inputCount: 2), to: [difference, chosen.isPhoto], name: "loss/photo chosen")
    let count = Double(try graph.knownShape(of: picture).count)
    terms.append(
      try graph.addSquares(
        ofPhotos, factor: ChosenStyles.photoWeight / (count * 255 * 255), name: "loss/photo"))
    let style: Graph.ValueID = try graph.addSum(terms, name: "loss/style")
    let color: Graph.ValueID? =
      colorWeight > 0
      ? try graph.addColorDifference(
        of: picture, from: chosen.colors, isPainted: chosen.isPainted, factor: colorWeight,
        name: "loss/color") : nil
    let neighbors: Graph.ValueID? = try neighborLoss(of: features, chosen, in: &graph)
    let all: [Graph.ValueID] = [content, style, smoothness, color, neighbors].compactMap { $0 }
    return Values(
      total: try graph.addSum(all, name: "loss/total"), content: content, style: style,
      smoothness: smoothness, color: color, neighbors: neighbors)
  }

  /// Adds the neighbour loss of pictures in different styles. Returns nil if it has no layers.
  private func neighborLoss(
    of features: [String: Graph.ValueID], _ chosen: ChosenStyles, in graph: inout Graph
  ) throws -> Graph.ValueID? {
    let terms: [Graph.ValueID] = try neighbors.compactMap { term in
      guard let made = features[term.layer], let target = chosen.neighbors[term.layer] else {
        return nil
      }
      let batch: Int = try graph.knownShape(of: made)[0]
      let name = "loss/neighbors \(term.layer)"
      let isPainted: Graph.ValueID = try graph.apply(
        ReshapeStaticOperator(targetShape: [batch, 1, 1]), to: [chosen.isPainted],
        name: "\(name) is painted")
      return try graph.addNeighborDistance(
        of: made, mean: target.mean, candidates: target.candidates, isPainted: isPainted,
        factor: styleWeight * term.weight, name: name)
    }
    return terms.isEmpty ? nil : try graph.addSum(terms, name: "loss/neighbors")
  }
}
