import Engine
import Foundation
import Operators
import Training

/// Trains a network with mini-batches of one size.
///
/// Examples lie side by side on the network's batch axis. A network without one is computed once for
/// each example, with shared weights. A mini-batch that is smaller is filled up with examples that count
/// for nothing.
final class NetworkTrainer {
  /// What weights or biases are now, as they lie in the file.
  struct Value {
    let layer: String
    let part: LayerParameter
    let floats: [Float]
  }

  let batchSize: Int
  let method: Optimizer
  private let network: TrainableNetwork
  private let trainer: Trainer
  /// How often the network is in the graph, and how many examples each takes.
  private let copies: Int
  private let examplesEach: Int

  /// - Parameter other: A trainer of the same network, with whose state this one goes on.
  init(
    _ network: TrainableNetwork, batchSize: Int, method: Optimizer, options: ExecutionOptions,
    continuing other: NetworkTrainer?
  ) throws {
    self.network = network
    self.batchSize = batchSize
    self.method = method
    copies = network.batchAxis == nil ? batchSize : 1
    examplesEach = batchSize / copies
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
          of: network, parameters, examples: examplesEach, to: &graph))
    }
    // A trainer wants its parameters behind all other inputs.
    graph.inputs = Array(graph.inputs.dropFirst(trained.count)) + trained.map(\.value)
    let loss: Graph.ValueID =
      losses.count == 1
      ? losses[0]
      : try graph.apply(AddOperator(inputCount: losses.count), to: losses, name: "loss")
    trainer = try Trainer(
      graph, loss: loss, parameters: trained, optimizer: method, options: options)
    if let other { trainer.state = other.trainer.state }
  }

  /// Adds the network with its inputs and its loss.
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

  /// Takes a step, and gives the mean loss of the examples before it.
  func step(_ examples: [NetworkExamples.Example], learningRate: Float) throws -> Double {
    precondition(!examples.isEmpty && examples.count <= batchSize)
    let share: Float = 1 / Float(examples.count)
    var inputs: [[Float]] = []
    for copy in 0..<copies {
      let slots = copy * examplesEach..<(copy + 1) * examplesEach
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

  /// All weights and biases that training changes.
  var values: [Value] {
    zip(network.parameters.filter(\.isTrained), trainer.state.parameters).map { parameter, floats in
      Value(layer: parameter.lifted.layer, part: parameter.part, floats: floats)
    }
  }
}
