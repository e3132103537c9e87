import Engine
import Foundation
import Operators
import ModelFormat
import Training

/// A neural network up to what its loss looks at, with the weights and biases that training changes as
/// inputs.
struct TrainableNetwork {
  /// Weights or biases that are inputs of the graph.
  struct Parameter {
    let part: LayerParameter
    let lifted: TrainingParameter
    /// Whether training changes them; the biases of a layer may stay while its weights change.
    let isTrained: Bool
  }

  let update: NetworkUpdate
  /// The inputs of the graph, without the parameters.
  let inputs: [NetworkInput]
  /// What the graph's inputs are for one example.
  let shapes: [Shape]
  let images: [Graph.ImagePort?]
  /// In the order of the graph's last inputs.
  let parameters: [Parameter]
  /// The inputs are those of ``inputs``, then those of ``parameters``; the output is the loss's value,
  /// or what the softmax is made of.
  let graph: Graph
  /// The axis of a mini-batch; nil where the network takes one example at a time.
  let batchAxis: Int?
  /// The output for one example.
  let outputShape: Shape
  /// The axis of the classes, for cross entropy.
  let classAxis: Int?

  /// The multiplications that a prediction takes, roughly.
  let multiplications: Int

  /// The number of values that the loss looks at, of one example.
  var valueCount: Int { outputShape.count }

  init(_ model: Spec.Model, description: MLModelDescription, update: NetworkUpdate) throws {
    guard let message = NeuralNetworkMessage(model) else {
      throw NetworkUpdate.unfit("it is none")
    }
    self.update = update
    let specification: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    var graph = try Graph(
      message, description: specification, catalog: .standard,
      makeCustomLayer: CustomLayerBridge.factory)
    let interface = NetworkInterface(message, description: specification)
    inputs = try NetworkRunner.inputs(
      of: interface, specification, description, allowsAnySize: false)
    shapes = try interface.declaredInputTypes().map(\.shape)
    images = graph.inputs.map { graph.imageInputs[$0] }
    (graph.imageInputs, graph.imageOutputs) = ([:], [:])
    let given: [Graph.ValueID] = graph.inputs
    classAxis = try graph.end(at: update)
    let lifted: [Parameter] = try TrainableNetwork.lift(model.networkLayers, in: &graph)
    graph.inputs = given + lifted.map(\.lifted.value)
    self.graph = graph
    parameters = lifted
    let takesSequences: Bool =
      message.arrays == .rank5 && interface.inputs.allSatisfy(\.takesSequences)
    let inferred: Graph = try TrainableNetwork.inferred(graph, shapes, lifted)
    outputShape = inferred[inferred.outputs[0]].type?.shape ?? []
    multiplications = inferred.multiplications
    batchAxis = TrainableNetwork.batchAxis(
      takesSequences ? 1 : 0, graph, shapes, lifted, single: outputShape)
    if let classAxis, outputShape[classAxis] != outputShape.count {
      throw NetworkUpdate.unfit(
        "its softmax has the shape \(outputShape), more than one value for each class")
    }
    guard parameters.contains(where: \.isTrained) else {
      throw NetworkUpdate.unfit("none of its layers is marked as updatable")
    }
  }

  /// Makes graph inputs of the weights and biases that the file marks as updatable.
  private static func lift(
    _ layers: [Spec.NeuralNetworkLayer], in graph: inout Graph
  ) throws -> [Parameter] {
    var marked: [String: Set<LayerParameter>] = [:]
    for layer in layers {
      let parts: [LayerParameter] = LayerParameter.allCases.filter { layer.isUpdatable($0) }
      for part in parts { try layer.checkStorable(part) }
      if !parts.isEmpty { marked[layer.name] = Set(parts) }
    }
    return try graph.liftParameters { marked[$0] != nil }.map { parameter in
      guard let part = LayerParameter(parameter.role) else {
        throw NetworkUpdate.unfit("layer '\(parameter.layer)' is of a kind that is not trained")
      }
      return Parameter(
        part: part, lifted: parameter,
        isTrained: marked[parameter.layer]?.contains(part) ?? false)
    }
  }

  /// The graph with the types of all values, for inputs of these shapes.
  private static func inferred(
    _ graph: Graph, _ shapes: [Shape], _ parameters: [Parameter]
  ) throws -> Graph {
    var copy: Graph = graph
    let types: [TensorType] =
      shapes.map { TensorType($0) } + parameters.map { TensorType($0.lifted.shape) }
    try copy.inferTypes(from: types)
    guard copy.isStatic else { throw NetworkUpdate.unfit("its shapes depend on values") }
    return copy
  }

  /// The axis on which examples can be laid side by side: `candidate`, where the output then has as
  /// many results side by side.
  private static func batchAxis(
    _ candidate: Int, _ graph: Graph, _ shapes: [Shape], _ parameters: [Parameter], single: Shape
  ) -> Int? {
    let count: Int = 3
    guard let wanted = single.repeated(count, along: candidate) else { return nil }
    let batched: [Shape] = shapes.compactMap { $0.repeated(count, along: candidate) }
    guard batched.count == shapes.count else { return nil }
    // What cannot be computed side by side is computed one by one.
    let made: Graph? = try? inferred(graph, batched, parameters)
    return made.flatMap { $0[$0.outputs[0]].type?.shape } == wanted ? candidate : nil
  }
}

extension LayerParameter {
  fileprivate init?(_ role: TrainingParameter.Role) {
    switch role {
    case .weights: self = .weights
    case .bias: self = .biases
    default: return nil
    }
  }
}

extension Shape {
  /// The shape of so many examples side by side on an axis of length 1, in front of which no other is
  /// longer; nil where there is no such.
  func repeated(_ count: Int, along axis: Int) -> Shape? {
    guard rank > max(axis, 1), dimensions.prefix(axis + 1).allSatisfy({ $0 == 1 }) else {
      return nil
    }
    var result: Shape = self
    result[axis] = count
    return result
  }
}

extension Graph {
  /// The multiplications of convolutions and inner products, whose shapes are known.
  fileprivate var multiplications: Int {
    nodes.reduce(0) { sum, node in
      let output: Double = Double(self[node.outputs[0]].type?.shape.count ?? 0)
      let each: Double
      switch node.operation {
      case let layer as ConvolutionOperator:
        each = Double(layer.weightShape.dimensions.dropFirst().reduce(1, *))
      case is InnerProductOperator:
        each = Double(self[node.inputs[1]].type?.shape.dimensions.last ?? 1)
      default: each = 1
      }
      return sum + Int(min(output * each, 1e15))
    }
  }

  /// Makes the value that the loss looks at the only output, and leaves out what it does not need. For
  /// cross entropy that is what goes into the softmax.
  ///
  /// - Returns: The axis of the classes, for cross entropy.
  fileprivate mutating func end(at update: NetworkUpdate) throws -> Int? {
    guard let index = values.lastIndex(where: { $0.name == update.valueName }) else {
      throw NetworkUpdate.unfit(
        "its loss looks at \"\(update.valueName)\", which no layer makes")
    }
    var end = ValueID(index)
    var axis: Int?
    if update.loss == .crossEntropy {
      let writer: Node? = nodes.last { $0.outputs.contains(end) }
      switch writer?.operation {
      case is SoftmaxOperator: axis = -3
      case let softmax as SoftmaxNDOperator: axis = softmax.axis
      default:
        throw NetworkUpdate.unfit(
          "its categorical cross entropy looks at \"\(update.valueName)\", which is not a softmax's "
            + "output")
      }
      end = writer?.inputs[0] ?? end
    }
    outputs = [end]
    var needed: Set<ValueID> = [end]
    var kept: [Node] = []
    for node in nodes.reversed() where node.outputs.contains(where: { needed.contains($0) }) {
      needed.formUnion(node.inputs)
      kept.append(node)
    }
    nodes = kept.reversed()
    return axis
  }
}
