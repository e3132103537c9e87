import Engine
import Foundation
import Operators
import ModelFormat
import Training

/// The part of a neural network on which the training loss depends. Trainable weights and biases are inputs of the
/// graph.
struct TrainableNetwork {
  /// Weights or biases that became inputs of the graph.
  struct Parameter {
    let part: LayerParameter
    let lifted: TrainingParameter
    /// Whether training changes the weights or biases. A layer may have trained weights and fixed biases.
    let isTrained: Bool
  }

  let update: NetworkUpdate
  /// The inputs of the graph that are not parameters.
  let inputs: [NetworkInput]
  /// The shape of each of ``inputs`` for one example.
  let shapes: [Shape]
  /// The image properties of each of ``inputs``; nil for an input that is not an image.
  let images: [Graph.ImagePort?]
  /// The parameters, in the order of the graph's last inputs.
  let parameters: [Parameter]
  /// The graph. Its inputs are ``inputs``, followed by ``parameters``. Its output is the value that the loss reads. If
  /// the loss is cross entropy, the output is the input of the softmax.
  let graph: Graph
  /// The batch axis of the inputs and of the output; nil if the network takes one example at a time.
  let batchAxis: Int?
  /// The shape of the output for one example.
  let outputShape: Shape
  /// The axis of the output along which the classes are; nil if the loss is not cross entropy.
  let classAxis: Int?

  /// The approximate number of multiplications in a forward pass.
  let multiplications: Int

  /// The number of output values for one example.
  var valueCount: Int { outputShape.count }

  init(_ model: Spec.Model, description: MLModelDescription, update: NetworkUpdate) throws {
    guard let message = NeuralNetworkMessage(model) else {
      throw NetworkUpdate.unfit("the model is of another type")
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
    let originalInputs: [Graph.ValueID] = graph.inputs
    classAxis = try graph.end(at: update)
    let lifted: [Parameter] = try TrainableNetwork.lift(model.networkLayers, in: &graph)
    graph.inputs = originalInputs + lifted.map(\.lifted.value)
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

  /// Finds the layers whose weights or biases the file marks as updatable. Turns their weights and biases into inputs
  /// of the graph.
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
        throw NetworkUpdate.unfit("layer '\(parameter.layer)' is of a type that cannot be trained")
      }
      return Parameter(
        part: part, lifted: parameter,
        isTrained: marked[parameter.layer]?.contains(part) ?? false)
    }
  }

  /// Infers the types of all values in a graph whose inputs have the given shapes. Returns the graph with these types.
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

  /// Returns `candidate` if it is a batch axis. Returns nil otherwise. An axis is a batch axis if, for inputs of length
  /// n along the axis, the output has length n along the axis, too.
  private static func batchAxis(
    _ candidate: Int, _ graph: Graph, _ shapes: [Shape], _ parameters: [Parameter], single: Shape
  ) -> Int? {
    let count: Int = 3
    guard let expected = single.repeated(count, along: candidate) else { return nil }
    let batched: [Shape] = shapes.compactMap { $0.repeated(count, along: candidate) }
    guard batched.count == shapes.count else { return nil }
    // An error means that this network cannot compute a batch. The trainer then uses one copy of the network for each
    // example.
    let made: Graph? = try? inferred(graph, batched, parameters)
    return made.flatMap { $0[$0.outputs[0]].type?.shape } == expected ? candidate : nil
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
  /// Returns the shape that `count` examples of this shape have together, concatenated along a batch axis. Returns nil
  /// if that axis or an axis before it does not have length 1.
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
  /// The approximate number of multiplications of all nodes. The graph must contain the inferred shapes of all values.
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

  /// Keeps one output of the graph: the value that the loss reads. Removes the nodes on which this value does not
  /// depend. If the loss is cross entropy, the output is the input of the softmax.
  ///
  /// - Returns: The axis along which the classes are; nil if the loss is not cross entropy.
  fileprivate mutating func end(at update: NetworkUpdate) throws -> Int? {
    guard let index = values.lastIndex(where: { $0.name == update.valueName }) else {
      throw NetworkUpdate.unfit(
        "its loss reads \"\(update.valueName)\", which no layer computes")
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
          "its categorical cross entropy reads \"\(update.valueName)\", which is not a softmax's "
            + "output")
      }
      end = writer?.inputs[0] ?? end
    }
    outputs = [end]
    var needed: Set<ValueID> = [end]
    var neededNodes: [Node] = []
    for node in nodes.reversed() where node.outputs.contains(where: { needed.contains($0) }) {
      needed.formUnion(node.inputs)
      neededNodes.append(node)
    }
    nodes = neededNodes.reversed()
    return axis
  }
}
