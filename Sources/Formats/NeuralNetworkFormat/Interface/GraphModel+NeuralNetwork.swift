import Graph
import ModelFormat
import Operators

extension GraphModel {
  /// Reads the neural network of a model. Nil for models of other types.
  ///
  /// Networks of versions up to 3 compute with five dimensions, `[sequence, batch, C, H, W]`. The graph computes with
  /// `[batch, C, H, W]` if the results are the same. The caller's inputs and outputs have the same shapes in both
  /// cases.
  ///
  /// - Throws: ``EngineError`` for damaged files and unknown layers. The error names the layer.
  public init?(
    neuralNetwork model: Spec.Model,
    makeCustomLayer: @escaping CustomLayerFactory = PassthroughCustomLayer.factory
  ) throws {
    guard let message = NeuralNetworkMessage(model) else { return nil }
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    var graph = try Graph(
      message, description: description, catalog: .standard, makeCustomLayer: makeCustomLayer)
    let interface = NetworkInterface(message, description: description)
    let types: [TensorType] = try interface.declaredInputTypes()
    var classes: Classes?
    if case .neuralNetworkClassifier(let classifier)? = model.type {
      classes = try Self.classes(classifier, description, &graph)
    }
    let inputs: [Feature] = interface.inputs.map { port in
      description.input.first { $0.name == port.name }.map { Feature($0) }
        ?? Feature(port.name, .float32, nil)
    }
    var outputs: [Feature] = interface.outputs.map { port in
      description.output.first { $0.name == port.name }.map { Feature($0) }
        ?? Feature(port.name, .float32, nil)
    }
    if let classes, classes.output == outputs.count {
      outputs.append(Feature(description.predictedProbabilitiesName, .float32, nil))
    }
    self.init(graph, inputs: inputs, outputs: outputs)
    self.classes = classes
    metadata = Metadata(description.metadata ?? Spec.Metadata())
    for (position, value) in self.graph.inputs.enumerated() {
      self.inputs[position].image = graph.imageInputs[value]
    }
    for (position, value) in self.graph.outputs.enumerated() {
      self.outputs[position].image = graph.imageOutputs[value]
    }
    try InterfaceAdapter(interface, types).apply(to: &self)
    try requireDistinctNames()
  }

  /// Makes the probabilities an output of the graph. Returns the class labels.
  private static func classes(
    _ classifier: Spec.NeuralNetworkClassifier, _ description: Spec.ModelDescription,
    _ graph: inout Graph
  ) throws -> Classes {
    let name: String = classifier.labelProbabilityLayerName
    let named: Graph.ValueID? =
      name.isEmpty
      ? graph.nodes.last?.outputs.first
      : graph.values.lastIndex { $0.name == name }.map { Graph.ValueID($0) }
        ?? graph.nodes.last { $0.name == name }?.outputs.first
    guard let value = named else {
      throw EngineError(
        .invalidModel,
        "The classifier takes its probabilities from '\(name)', but no layer makes it. The model may be damaged."
      )
    }
    let output: Int
    if let known = graph.outputs.firstIndex(of: value) {
      output = known
    } else {
      output = graph.outputs.count
      graph.outputs.append(value)
    }
    let label: String = description.predictedFeatureName
    var classes: Classes
    switch classifier.classLabels {
    case .stringClassLabels(let labels)?:
      classes = Classes(labels.vector, output: output, labelName: label)
    case .int64ClassLabels(let labels)?:
      classes = Classes(labels.vector.map(String.init), output: output, labelName: label)
      classes.areNumbers = true
    case nil:
      throw EngineError(
        .invalidModel, "The classifier has no class labels. The model may be damaged.")
    }
    classes.labelSummary =
      description.output.first { $0.name == label }?.shortDescription ?? ""
    return classes
  }
}

/// Gives the graph's inputs and outputs the shapes that callers use, in place of the shapes that layers use.
private struct InterfaceAdapter {
  let interface: NetworkInterface
  let types: [TensorType]

  init(_ interface: NetworkInterface, _ types: [TensorType]) {
    self.interface = interface
    self.types = types
  }

  func apply(to model: inout GraphModel) throws {
    guard interface.inputs.contains(where: \.takesSequences) else {
      return try shapeOutputs(of: &model, droppedAxes: 0)
    }
    // The sequence dimension may be dropped only if the layers compute the same values without it.
    let dropped: Int = canDropSequence(model.graph) ? 1 : 0
    for (position, port) in interface.inputs.enumerated() where port.takesSequences {
      let declared: Int = model.inputs[position].extents?.count ?? 5
      let axes: [Int]
      switch (port.kind, declared) {
      case (.image, _): axes = [0]
      case (_, 1): axes = [0, 1, 3, 4]
      case (_, 2): axes = [1, 3, 4]
      case (_, 3): axes = [0, 1]
      case (_, 4): axes = [0]
      default: axes = []
      }
      let added: [Int] = dropped == 1 ? axes.dropFirst().map { $0 - 1 } : axes
      if !added.isEmpty { addAxes(added, toInput: position, of: &model) }
    }
    try shapeOutputs(of: &model, droppedAxes: dropped)
  }

  /// Returns whether the graph works without the inputs' first dimension, the sequence. It does if the other four
  /// extents of every value are the same without that dimension.
  private func canDropSequence(_ graph: Graph) -> Bool {
    guard
      zip(interface.inputs, types).allSatisfy({
        $0.takesSequences && $1.shape.rank == 5 && $1.shape[0] == 1
      }),
      !graph.nodes.contains(where: { !$0.regions.isEmpty || $0.operation is CustomLayer })
    else { return false }
    var (five, four) = (graph, graph)
    let smaller: [TensorType] = types.map {
      TensorType(Shape(Array($0.shape.dimensions.dropFirst())), $0.element)
    }
    guard (try? five.inferTypes(from: types)) != nil,
      (try? four.inferTypes(from: smaller)) != nil
    else { return false }
    return zip(five.values, four.values).allSatisfy { long, short in
      guard long.constant == nil else { return true }
      guard let long = long.type?.shape, let short = short.type?.shape else { return false }
      return long.dimensions == [1] + short.dimensions
    }
  }

  private func addAxes(_ axes: [Int], toInput position: Int, of model: inout GraphModel) {
    let inner: Graph.ValueID = model.graph.inputs[position]
    let name: String = model.graph[inner].name
    let outer: Graph.ValueID = model.graph.addValue(name)
    model.graph[inner].name = "\(name) of the layers"
    model.graph.inputs[position] = outer
    model.graph.imageInputs[outer] = model.graph.imageInputs.removeValue(forKey: inner)
    model.graph.nodes.insert(
      Graph.Node(
        name: "\(name) axes", operation: ExpandDimsOperator(axes: axes), inputs: [outer],
        outputs: [inner]), at: 0)
  }

  /// Gives the outputs the dimensions that the description declares. An output without declared dimensions keeps all
  /// dimensions of its tensor.
  private func shapeOutputs(of model: inout GraphModel, droppedAxes: Int) throws {
    let types = KnownTypes(of: model)
    for (position, value) in model.graph.outputs.enumerated() {
      let known: [Int?]? = types.extents(of: value)
      let isProbability: Bool = model.classes?.output == position
      let declared: [Extent]? = model.outputs[position].extents
      guard let known else { continue }
      var operation: (any Operator)?
      if model.outputs[position].image != nil {
        if known.count == 5 { operation = SqueezeOperator(axes: [0]) }
      } else if isProbability {
        if known.count > 1 { operation = ReshapeStaticOperator(targetShape: [-1]) }
      } else if let declared, !declared.isEmpty {
        operation = Self.reshaping(known, to: declared)
      } else if droppedAxes == 1 {
        operation = ExpandDimsOperator(axes: [0])
      }
      if let operation {
        let name: String = model.graph[value].name
        let outer: Graph.ValueID = model.graph.addValue(model.outputs[position].name)
        model.graph[value].name = "\(name) of the layers"
        model.graph.nodes.append(
          Graph.Node(name: "\(name) axes", operation: operation, inputs: [value], outputs: [outer]))
        model.graph.outputs[position] = outer
        model.graph.imageOutputs[outer] = model.graph.imageOutputs.removeValue(forKey: value)
      }
    }
    let all = KnownTypes(of: model)
    for (position, value) in model.graph.outputs.enumerated() {
      // The graph does not know the output shapes of custom layers. For these outputs, the declared extents stay.
      guard let extents = all.extents(of: value) else { continue }
      let isPicture: Bool = model.outputs[position].image != nil
      let declared: [Extent]? = isPicture ? model.outputs[position].extents : nil
      model.outputs[position].extents = extents.enumerated().map { axis, extent in
        extent.map { Extent($0) } ?? declared.flatMap { $0.count == extents.count ? $0[axis] : nil }
          ?? Extent(from: 1)
      }
    }
  }

  /// Returns the operator that gives a value its declared dimensions. Nil if the value already has these dimensions.
  private static func reshaping(_ known: [Int?], to declared: [Extent]) -> (any Operator)? {
    let fixed: [Int] = declared.compactMap(\.fixed)
    let sizes: [Int] = known.compactMap { $0 }
    if fixed.count == declared.count, sizes.count == known.count,
      fixed.product == sizes.product
    {
      return fixed == sizes ? nil : ReshapeStaticOperator(targetShape: fixed)
    }
    if declared.count == 1, known.count >= 3 {
      let channels: Int = known.count - 3
      if known.enumerated().allSatisfy({ $0 == channels || $1 == 1 }) {
        return SqueezeOperator(axes: known.indices.filter { $0 != channels })
      }
    }
    let extra: Int = known.count - declared.count
    guard extra > 0, known.prefix(extra).allSatisfy({ $0 == 1 }) else { return nil }
    return SqueezeOperator(axes: Array(0..<extra))
  }
}
