import Engine
import Operators

extension PerceptualLoss {
  /// Adds the loss of a picture to a graph.
  ///
  /// For a batch, each loss is the mean over the pictures.
  ///
  /// - Parameters:
  ///   - graph: The graph. The types of its values must be known.
  ///   - picture: The picture whose loss is computed, `[N, 3, height, width]`, 0…255.
  ///   - content: The content that the picture should have.
  ///   - styles: The styles that the picture should have: one for the complete picture, or several with masks.
  ///   - network: The network that computes the features.
  public func append(
    to graph: inout Graph, picture: Graph.ValueID, content reference: Content, styles: [Style],
    network: FeatureNetwork
  ) throws -> Values {
    try check(styles)
    let contents: [Term] = wantsContent(reference) ? content.filter { $0.weight != 0 } : []
    let paints: [Term] = styles.isEmpty || styleWeight == 0 ? [] : style.filter { $0.weight != 0 }
    var layers: [String] = []
    let compared: [Term] =
      styles.isEmpty || styleWeight == 0 ? [] : neighbors.filter { $0.weight != 0 }
    for term in contents + paints + compared where !layers.contains(term.layer) {
      layers.append(term.layer)
    }
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: picture, layers: layers, prefix: "loss/")
    let targets: [String: Graph.ValueID] = try contentFeatures(
      reference, contents, in: &graph, network)

    let contentTerms: [Graph.ValueID] = try addContent(
      contents, of: features, comparedWith: targets, to: &graph)
    var styleTerms: [Graph.ValueID] = []
    for term in paints {
      guard let made = features[term.layer] else { continue }
      for (position, style) in styles.enumerated() {
        if let value = try styleLoss(
          term, style, made, in: &graph, name: "loss/style \(position + 1) \(term.layer)")
        {
          styleTerms.append(value)
        }
      }
    }
    let smooth: Graph.ValueID? = try addSmoothness(of: picture, to: &graph)
    let values: [Graph.ValueID?] = [
      contentTerms.isEmpty ? nil : try graph.addSum(contentTerms, name: "loss/content"),
      styleTerms.isEmpty ? nil : try graph.addSum(styleTerms, name: "loss/style"),
      smooth,
      try colorLoss(of: picture, styles, in: &graph),
      try neighborLoss(compared, of: features, styles, in: &graph),
    ]
    let terms: [Graph.ValueID] = values.compactMap { $0 }
    guard !terms.isEmpty else {
      throw StyleTransferError(
        .input, "The loss has no content, style or smoothness. Give one of them a weight above 0.")
    }
    return Values(
      total: try graph.addSum(terms, name: "loss/total"), content: values[0], style: values[1],
      smoothness: values[2], color: values[3], neighbors: values[4])
  }

  /// Adds the smoothness loss of a picture. Nil if its weight is 0, or if the picture has one row or column.
  func addSmoothness(of picture: Graph.ValueID, to graph: inout Graph) throws -> Graph.ValueID? {
    guard smoothness != 0 else { return nil }
    let terms: [Graph.ValueID] = try graph.addVariation(of: picture, factor: smoothness)
    return terms.isEmpty ? nil : try graph.addSum(terms, name: "loss/smoothness")
  }

  /// Adds the content loss of each term for a picture with known features.
  func addContent(
    _ terms: [Term], of features: [String: Graph.ValueID],
    comparedWith targets: [String: Graph.ValueID], to graph: inout Graph
  ) throws -> [Graph.ValueID] {
    try terms.map { term in
      guard let made = features[term.layer], let target = targets[term.layer] else {
        throw StyleTransferError(
          .input, "The content has no features of layer '\(term.layer)', which the loss compares.")
      }
      let count: Int = try graph.knownShape(of: made).count
      return try graph.addSquaredDifference(
        made, target, factor: contentWeight * term.weight / Double(count),
        name: "loss/content \(term.layer)")
    }
  }

  /// Computes the content loss of a grey picture, which has no content, compared with photos.
  ///
  /// - Parameter photos: `[N, 3, height, width]`, 0…255.
  func contentOfGrey(
    for photos: FloatTensor, network: FeatureNetwork, options: ExecutionOptions
  ) throws -> Double {
    var shape: Shape = photos.shape
    shape[0] = 1
    let grey = FloatTensor(shape, [Float](repeating: 127.5, count: shape.count))
    let blank = try network.features(of: grey, layers: contentLayers, options: options)
    let shown = try network.features(of: photos, layers: contentLayers, options: options)
    return content.reduce(0) { (sum: Double, term: Term) -> Double in
      guard let blank = blank[term.layer]?.values, let shown = shown[term.layer]?.values else {
        return sum
      }
      let squares: Double = shown.indices.reduce(0) {
        let difference = Double(shown[$1] - blank[$1 % blank.count])
        return $0 + difference * difference
      }
      return sum + contentWeight * term.weight * squares / Double(shown.count)
    }
  }

  private func wantsContent(_ reference: Content) -> Bool {
    if case .nothing = reference { return false }
    return contentWeight != 0
  }

  private func check(_ styles: [Style]) throws {
    let weights: [Double] =
      [contentWeight, styleWeight, smoothness, colorWeight]
      + (content + style + neighbors).map(\.weight)
    guard weights.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
      throw StyleTransferError(.input, "The weights of losses must be numbers of 0 or more.")
    }
    for style in styles {
      for term in self.style where style.targets.grams[term.layer] == nil {
        throw StyleTransferError(
          .input,
          "The style has no Gram matrix of layer '\(term.layer)', which the loss compares.")
      }
    }
  }

  /// Adds the colour loss. Returns nil without a style, or if the weight is 0.
  private func colorLoss(
    of picture: Graph.ValueID, _ styles: [Style], in graph: inout Graph
  ) throws -> Graph.ValueID? {
    guard colorWeight > 0, !styles.isEmpty else { return nil }
    guard styles.count == 1, styles[0].mask == nil, let colors = styles[0].targets.colors else {
      throw StyleTransferError(
        .input,
        "The colour loss needs one style with known colours for the complete picture, but there"
          + " are \(styles.count) styles, masks, or no colours. Set its weight to 0.")
    }
    return try graph.addColorDifference(
      of: picture, from: colors, factor: colorWeight, name: "loss/color")
  }

  /// Adds the neighbour loss. Returns nil if it has no terms.
  private func neighborLoss(
    _ terms: [Term], of features: [String: Graph.ValueID], _ styles: [Style], in graph: inout Graph
  ) throws -> Graph.ValueID? {
    guard !terms.isEmpty else { return nil }
    let values: [Graph.ValueID] = try terms.map { term in
      let name = "loss/neighbors \(term.layer)"
      guard styles.count == 1, styles[0].mask == nil, let made = features[term.layer],
        let target = styles[0].targets.neighbors[term.layer]
      else {
        throw StyleTransferError(
          .input,
          "The neighbour loss needs one style with features of '\(term.layer)' for the complete"
            + " picture, but there are \(styles.count) styles, masks, or no such features. Leave"
            + " the loss out.")
      }
      let channels: Int = target.mean.count
      return try graph.addNeighborDistance(
        of: made,
        mean: graph.addConstant(Constant([1, 1, channels], target.mean), name: "\(name) mean"),
        candidates: graph.addConstant(
          Constant([1, channels, target.count], target.candidates.values),
          name: "\(name) candidates"),
        isPainted: nil, factor: styleWeight * term.weight, name: name)
    }
    return try graph.addSum(values, name: "loss/neighbors")
  }

  func contentFeatures(
    _ reference: Content, _ terms: [Term], in graph: inout Graph, _ network: FeatureNetwork
  ) throws -> [String: Graph.ValueID] {
    switch reference {
    case .nothing: return [:]
    case .features(let features): return features
    case .picture(let photo):
      guard !terms.isEmpty else { return [:] }
      return try network.append(
        to: &graph, picture: photo, layers: terms.map(\.layer), prefix: "photo/")
    }
  }

  /// Adds the style loss of a layer for one style. Returns nil if the style's mask covers nothing at the layer's
  /// resolution.
  ///
  /// With a mask, the features are multiplied by the mask, and the Gram matrix is divided by the share of the picture
  /// that the mask covers. So small and large parts get the same style. The style loss is multiplied by that share,
  /// too.
  /// **Source:** Gatys et al., “Controlling perceptual factors in neural style transfer”, arXiv:1611.07865, section
  /// 4.1.
  private func styleLoss(
    _ term: Term, _ style: Style, _ features: Graph.ValueID, in graph: inout Graph, name: String
  ) throws -> Graph.ValueID? {
    guard let target = style.targets.grams[term.layer] else { return nil }
    let shape: Shape = try graph.knownShape(of: features)
    guard target.shape == [1, shape[1], shape[1]] else {
      throw StyleTransferError(
        .input,
        "The Gram matrix of layer '\(term.layer)' is \(target.shape), expected 1 × \(shape[1]) ×"
          + " \(shape[1]): it is from another network.")
    }
    var seen: Graph.ValueID = features
    var share: Double = 1
    if let mask = style.mask {
      let fitted: StyleMask = mask.scaled(toWidth: shape[3], height: shape[2])
      share = fitted.coverage
      let passed: Double = fitted.weights.reduce(0) { $0 + Double($1) * Double($1) }
      guard passed > 0.5 else { return nil }
      let factor: Float = Float((Double(fitted.weights.count) / passed).squareRoot())
      let values: [Double] = fitted.weights.map { Double($0 * factor) }
      let constant: Graph.ValueID = graph.addConstant(
        ReferenceTensor([1, 1, shape[2], shape[3]], values), name: "\(name) mask")
      seen = try graph.apply(
        MultiplyOperator(inputCount: 2), to: [features, constant], name: "\(name) masked")
    }
    let gram: Graph.ValueID = try graph.addGram(of: seen, name: "\(name) gram")
    let wanted: Graph.ValueID = graph.addConstant(target.reference, name: "\(name) target")
    let factor: Double = style.targets.factor(
      of: term.layer, among: self.style, styleNormalization)
    return try graph.addSquaredDifference(
      gram, wanted, factor: styleWeight * term.weight * share * factor / Double(shape[0]),
      name: name)
  }
}

extension Graph {
  /// Adds the mean squared difference between horizontal and vertical neighbours in a picture of 0…255.
  ///
  /// The differences are computed as convolutions of three channels, in float32, because differences between neighbours
  /// are too small for bfloat16.
  mutating func addVariation(of picture: ValueID, factor: Double) throws -> [ValueID] {
    let directions: [(name: String, kernel: ConvolutionOperator.Pair)] = [
      ("across", ConvolutionOperator.Pair(1, 2)), ("down", ConvolutionOperator.Pair(2, 1)),
    ]
    let shape: Shape = try knownShape(of: picture)
    guard shape[2] > 1, shape[3] > 1 else { return [] }
    return try directions.map { name, kernel in
      let weights = addConstant(
        Constant([3, 1, kernel.height, kernel.width], [-1, 1, -1, 1, -1, 1].map { $0 / 255 }),
        name: "loss/variation \(name)/weights")
      let difference: ValueID = try apply(
        ConvolutionOperator(outputChannels: 3, kernelChannels: 1, groups: 3, kernel: kernel),
        to: [picture, weights], name: "loss/variation \(name)")
      let count: Int = try knownShape(of: difference).count
      return try addSquares(
        difference, factor: factor / Double(count), name: "loss/smoothness \(name)")
    }
  }
}
