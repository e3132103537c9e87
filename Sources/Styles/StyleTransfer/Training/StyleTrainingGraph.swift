import Engine
import Operators
import Training

/// The graph of one training step: photos, the network that paints them, and the loss of the paintings.
struct StyleTrainingGraph {
  /// The graph. Its inputs are the photos, the shifted photos if there is a stability loss, the styles of the pictures if
  /// the network has several (``styleInputs(of:)``), and the parameters.
  private(set) var graph = Graph()
  /// The total loss, which is minimised.
  let loss: Graph.ValueID
  /// The parts of the loss, for progress reports.
  let reports: [Report: Graph.ValueID]
  /// The trainable parameters, in the order of the network's parameters.
  private(set) var parameters: [TrainingParameter] = []

  private let chosen: ChosenStyles?

  /// A part of the loss.
  enum Report: CaseIterable {
    case content, style, smoothness, stability, color, neighbors
  }

  /// Builds the graph for an initial network.
  ///
  /// - Parameter targets: The targets of the network's styles, or of its only one. If the network has several styles, one
  ///   may be nil: the style that reproduces the photo.
  init(
    _ network: StyleNetwork, settings: StyleTrainingSettings, targets: [StyleTargets?],
    features: FeatureNetwork, weights: PerceptualLoss
  ) throws {
    let styleCount: Int = network.architecture.styleCount
    precondition(targets.count == max(1, styleCount), "each style has targets")
    let side: Int = settings.pictureSide
    let shape: Shape = [settings.batchSize, 3, side, side]
    var painter: Graph = try network.withTrainingMargin.graph()
    let styleShape: Shape = [settings.batchSize, styleCount, 1, 1]
    try painter.inferTypes(
      from: [TensorType(shape)] + (styleCount > 0 ? [TensorType(styleShape)] : []))
    let names: Set<String> = Set(
      network.parameters.filter { settings.trained == .all || $0.isOfNorm }.map(\.layer))
    let lifted: [TrainingParameter] = try painter.liftParameters { names.contains($0) }

    let photo: Graph.ValueID = graph.addInput("photo", shape)
    let moved: Graph.ValueID? = settings.stability > 0 ? graph.addInput("moved", shape) : nil
    let styles: Graph.ValueID? =
      styleCount > 0 ? graph.addInput(StyleArchitecture.stylesName, styleShape) : nil
    chosen =
      styleCount > 0
      ? try ChosenStyles(targets, loss: weights, batch: settings.batchSize, to: &graph) : nil
    for parameter in lifted {
      let (layer, role) = (parameter.layer, parameter.role)
      parameters.append(
        TrainingParameter(
          layer: layer, role: role, shape: parameter.shape, initial: parameter.initial,
          value: graph.addInput("\(layer) \(role.rawValue)", parameter.shape)))
    }
    let values: [Graph.ValueID] = parameters.map(\.value)
    let order: [Graph.ValueID] = painter.inputs
    func paint(_ picture: Graph.ValueID, in graph: inout Graph) throws -> Graph.ValueID {
      let factor = graph.addConstant(Constant([1, 1, 1], [1 / 127.5]), name: "pixels/scale")
      let shift = graph.addConstant(Constant([1, 1, 1], [-1]), name: "pixels/bias")
      let scaled: Graph.ValueID = try graph.apply(
        ScaleOperator(hasBias: true), to: [picture, factor, shift], name: "pixels")
      var given: [Graph.ValueID: Graph.ValueID] = [:]
      for (parameter, value) in zip(lifted, values) { given[parameter.value] = value }
      let inputs: [Graph.ValueID] = order.enumerated().map { position, input in
        given[input] ?? (position == 0 ? scaled : styles ?? scaled)
      }
      return try graph.append(painter, inputs: inputs)[0]
    }
    let painting: Graph.ValueID = try paint(photo, in: &graph)
    let measured: PerceptualLoss.Values =
      if let chosen {
        try weights.append(
          to: &graph, picture: painting, photo: photo, chosen: chosen, network: features)
      } else {
        try weights.append(
          to: &graph, picture: painting, content: .picture(photo),
          styles: targets.compactMap { $0 }.map { .init($0) }, network: features)
      }
    var total: Graph.ValueID = measured.total
    var reports: [Report: Graph.ValueID] = [:]
    reports[.content] = measured.content
    reports[.style] = measured.style
    reports[.smoothness] = measured.smoothness
    reports[.color] = measured.color
    reports[.neighbors] = measured.neighbors
    if let moved {
      let other: Graph.ValueID = try paint(moved, in: &graph)
      let difference: Graph.ValueID = try graph.addInstability(
        painting, other, weight: settings.stability)
      reports[.stability] = difference
      total = try graph.addSum([total, difference], name: "loss/all")
    }
    loss = total
    self.reports = reports
  }

  /// Returns the values of the inputs that give each picture of the batch a style. Empty for a network of one style.
  func styleInputs(of styles: [Int]) -> [[Float]] {
    guard let chosen else { return [] }
    let weights: [Float] = styles.flatMap { style in
      chosen.targets.indices.map { $0 == style ? 1 : 0 }
    }
    return [weights] + chosen.values(of: styles)
  }
}

extension Graph {
  /// Adds the mean squared difference, in units of full scale, between the painting of a photo and the painting of the
  /// same photo shifted up and left by a pixel.
  fileprivate mutating func addInstability(
    _ painting: ValueID, _ moved: ValueID, weight: Double
  ) throws -> ValueID {
    let here: ValueID = try apply(
      CropOperator(amounts: EdgeAmounts(top: 1, left: 1)), to: [painting], name: "stability here")
    let there: ValueID = try apply(
      CropOperator(amounts: EdgeAmounts(bottom: 1, right: 1)), to: [moved], name: "stability there")
    let count: Int = try knownShape(of: here).count
    return try addSquaredDifference(
      here, there, factor: weight / (Double(count) * 255 * 255), name: "loss/stability")
  }
}
