import Engine
import Foundation
import Operators
import Training

/// Trains a network with mini-batches of one size.
///
/// The trainer concatenates examples along the network's batch axis. For a network without a batch axis, the trainer's
/// graph contains one copy of the network for each example, and all copies share their weights. If a mini-batch has
/// fewer examples than `batchSize`, the trainer repeats the last example with the weight 0 in the loss.
final class NetworkTrainer {
  /// The current weights or biases of a layer. The elements are in the order of the model file.
  struct Value {
    let layer: String
    let part: LayerParameter
    let floats: [Float]
  }

  let batchSize: Int
  let method: Optimizer
  private let network: TrainableNetwork
  private let trainer: Trainer
  /// The number of copies of the network in the trainer's graph.
  private let copies: Int
  /// The number of examples that each copy of the network computes.
  private let examplesPerCopy: Int

  /// - Parameter other: A trainer of the same network; nil for none. The new trainer continues from the state of
  ///   `other`.
  init(
    _ network: TrainableNetwork, batchSize: Int, method: Optimizer, options: ExecutionOptions,
    continuing other: NetworkTrainer?
  ) throws {
    self.network = network
    self.batchSize = batchSize
    self.method = method
    copies = network.batchAxis == nil ? batchSize : 1
    examplesPerCopy = batchSize / copies
    var graph = Graph()
    var trained: [TrainingParameter] = []
    let parameters: [Graph.ValueID] = network.parameters.map { parameter in
      let lifted: TrainingParameter = parameter.lifted
      let name = "\(lifted.layer) \(lifted.role.rawValue)"
      guard parameter.isTrained else {
        let values = ReferenceTensor(lifted.shape, lifted.initial.map { Double($0) })
        return graph.addConstant(values, name: name)
      }
      let value: Graph.ValueID = graph.addInput(name, lifted.shape)
      trained.append(
        TrainingParameter(
          layer: lifted.layer, role: lifted.role, shape: lifted.shape, initial: lifted.initial,
          value: value))
      return value
    }
    var losses: [Graph.ValueID] = []
    for _ in 0..<copies {
      losses.append(
        try NetworkTrainer.addLoss(
          of: network, parameters, examples: examplesPerCopy, to: &graph))
    }
    // `Trainer` expects the parameters after all other inputs of the graph.
    graph.inputs = Array(graph.inputs.dropFirst(trained.count)) + trained.map(\.value)
    let loss: Graph.ValueID =
      losses.count == 1
      ? losses[0]
      : try graph.apply(AddOperator(inputCount: losses.count), to: losses, name: "loss")
    trainer = try Trainer(
      graph, loss: loss, parameters: trained, optimizer: method, options: options)
    if let other { trainer.state = other.trainer.state }
  }

  /// Adds a copy of the network to the graph, with its inputs, targets and loss. Returns the loss.
  private static func addLoss(
    of network: TrainableNetwork, _ parameters: [Graph.ValueID], examples: Int,
    to graph: inout Graph
  ) throws -> Graph.ValueID {
    func batched(_ shape: Shape) -> Shape {
      network.batchAxis.flatMap { shape.repeated(examples, along: $0) } ?? shape
    }
    var inputs: [Graph.ValueID] = []
    for (input, shape) in zip(network.inputs, network.shapes) {
      inputs.append(graph.addInput(input.name, batched(shape)))
    }
    let shape: Shape = batched(network.outputShape)
    let target: Graph.ValueID = graph.addInput("target", shape)
    let values: [Graph.ValueID] = try graph.append(network.graph, inputs: inputs + parameters)
    if let axis = network.classAxis {
      return try graph.apply(
        CrossEntropyLossOperator(axis: axis), to: [values[0], target], name: "loss")
    }
    let weights: Graph.ValueID = graph.addInput("weights", shape)
    return try graph.apply(
      SquaredErrorLossOperator(), to: [values[0], target, weights], name: "loss")
  }

  /// Takes a training step with a mini-batch. Returns the mean loss of the examples before the step.
  func step(_ examples: [NetworkExamples.Example], learningRate: Float) throws -> Double {
    precondition(!examples.isEmpty && examples.count <= batchSize)
    let share: Float = 1 / Float(examples.count)
    var inputs: [[Float]] = []
    for copy in 0..<copies {
      let slots = copy * examplesPerCopy..<(copy + 1) * examplesPerCopy
      for number in network.inputs.indices {
        inputs.append(slots.flatMap { examples[min($0, examples.count - 1)].inputs[number] })
      }
      let weights: [Float] = slots.map { $0 < examples.count ? share : 0 }
      let targets: [[Float]] = slots.map { examples[min($0, examples.count - 1)].target }
      if network.classAxis != nil {
        inputs.append(
          zip(targets, weights).flatMap { target, weight in target.map { $0 * weight } })
      } else {
        inputs.append(targets.flatMap { $0 })
        let count: Int = network.valueCount
        inputs.append(weights.flatMap { Array(repeating: $0 / Float(count), count: count) })
      }
    }
    return Double(try trainer.step(inputs, learningRate: learningRate)[0])
  }

  /// All trained weights and biases.
  var values: [Value] {
    zip(network.parameters.filter(\.isTrained), trainer.state.parameters).map { parameter, floats in
      Value(layer: parameter.lifted.layer, part: parameter.part, floats: floats)
    }
  }
}
