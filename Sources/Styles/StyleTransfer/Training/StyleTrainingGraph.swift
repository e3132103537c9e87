import Engine
import Operators
import Training

/// The graph of one training step: photos, the network that paints them, and the loss of what it
/// paints.
struct StyleTrainingGraph {
  /// The graph; its inputs are the photos, a second row of photos where stability is trained, and the
  /// parameters.
  private(set) var graph = Graph()
  /// What is to become small.
  let loss: Graph.ValueID
  /// What is told beside it.
  let reports: [Report: Graph.ValueID]
  /// What changes, in the network's order.
  private(set) var parameters: [TrainingParameter] = []

  /// A part of the loss.
  enum Report: CaseIterable {
    case content, style, smoothness, stability
  }

  /// The graph of a network that starts as it is.
  init(
    _ network: StyleNetwork, settings: StyleTrainingSettings, targets: StyleTargets,
    features: FeatureNetwork, weights: PerceptualLoss
  ) throws {
    let side: Int = settings.pictureSide
    let shape: Shape = [settings.batchSize, 3, side, side]
    var painter: Graph = try network.withTrainingMargin.graph()
    try painter.inferTypes(from: [TensorType(shape)])
    let names = Set(network.parameters.map(\.layer))
    let lifted: [TrainingParameter] = try painter.liftParameters { names.contains($0) }

    let photo: Graph.ValueID = graph.addInput("photo", shape)
    let moved: Graph.ValueID? = settings.stability > 0 ? graph.addInput("moved", shape) : nil
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
      return try graph.append(painter, inputs: order.map { given[$0] ?? scaled })[0]
    }
    let painting: Graph.ValueID = try paint(photo, in: &graph)
    let measured: PerceptualLoss.Values = try weights.append(
      to: &graph, picture: painting, content: .picture(photo), styles: [.init(targets)],
      network: features)
    var total: Graph.ValueID = measured.total
    var reports: [Report: Graph.ValueID] = [:]
    reports[.content] = measured.content
    reports[.style] = measured.style
    reports[.smoothness] = measured.smoothness
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
}

extension Graph {
  /// The mean square, in units of full scale, of how the painting of a photo differs from that of the
  /// same photo moved up and left by a pixel.
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
