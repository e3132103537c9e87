import Engine
import Foundation
import Operators
import ModelFormat
import Training

/// Updates a neural network. Trains, by gradient descent, the weights and biases that the model file marks as
/// updatable.
final class NetworkLearner: Learner {
  private let model: Spec.Model
  private let network: TrainableNetwork
  private let target: NetworkExamples.Target
  private let options: ExecutionOptions
  private let threadCount: Int?
  private var trainer: NetworkTrainer?

  /// One thread computes a step if the step's forward pass has at most this number of multiplications. The forward and
  /// the backward pass of such a step together take about 3 ms.
  private static let singleThreadLimit: Int = 10_000_000

  /// Checks that the network can be trained.
  init(_ model: Spec.Model, configuration: MLModelConfiguration) throws {
    self.model = model
    let description = MLModelDescription(unnamed: model)
    let update = try NetworkUpdate(model.networkUpdate)
    network = try translatingErrors {
      try TrainableNetwork(model, description: description, update: update)
    }
    target = try NetworkLearner.target(of: update, description, count: network.valueCount)
    options = ExecutionOptions(precision: .float32, memoryLimit: configuration.memoryLimit)
    threadCount = configuration.threadCount
  }

  /// Returns the target of the loss. This is the training feature that the loss names. If the model has no training
  /// feature of this name, the target is the label of the classifier.
  private static func target(
    of update: NetworkUpdate, _ description: MLModelDescription, count: Int
  ) throws -> NetworkExamples.Target {
    let known: [String: MLFeatureDescription] = description.trainingInputDescriptionsByName
    let label: String? = description.predictedFeatureName
    let name: String
    if known[update.targetName] != nil || update.targetName == label {
      name = update.targetName
    } else if let label, known[label] != nil {
      name = label
    } else {
      throw NetworkUpdate.unfit(
        "its loss has the target \"\(update.targetName)\", which is not one of its training inputs")
    }
    switch update.loss {
    case .squaredError: return .numbers(name: name, count: count)
    case .crossEntropy:
      return .label(name: name, name == label ? description.labels : nil, count: count)
    }
  }

  var specification: Spec.Model {
    guard let values = trainer?.values else { return model }
    var learned: Spec.Model = model
    learned.changeLayers { layers in
      for value in values {
        guard let index = layers.firstIndex(where: { $0.name == value.layer }) else { continue }
        layers[index].store(value.floats, as: value.part)
      }
    }
    return learned
  }

  func learn(from examples: TrainingExamples, reporting progress: any LearningProgress) throws {
    var reader = NetworkExamples(
      examples, inputs: network.inputs, shapes: network.shapes, images: network.images,
      target: target)
    var settings = try TrainingSettings(progress.parameters, exampleCount: reader.count)
    var order = ExampleOrder(count: reader.count, seed: settings.seed)
    var epoch: Int = 0
    while epoch < settings.epochs {
      let batches: [ArraySlice<Int>] = order.nextEpoch(
        shuffles: settings.shuffles, batchSize: settings.batchSize)
      var sum: Double = 0
      for (number, batch) in batches.enumerated() {
        settings = try TrainingSettings(progress.parameters, exampleCount: reader.count)
        let loss: Double = try step(batch, &reader, settings, size: batches[0].count)
        guard loss.isFinite else {
          throw MLModelError(
            .update,
            "The loss is not a finite number in epoch \(epoch), mini-batch \(number). Try a smaller "
              + "learning rate than \(settings.learningRate), or inputs of a smaller scale."
          )
        }
        sum += loss * Double(batch.count)
        try progress.report(
          .miniBatchEnd,
          [.lossValue: loss, .epochIndex: epoch, .miniBatchIndex: number])
      }
      try progress.report(
        .epochEnd, [.lossValue: sum / Double(reader.count), .epochIndex: epoch])
      settings = try TrainingSettings(progress.parameters, exampleCount: reader.count)
      epoch += 1
    }
  }

  /// Takes a step with the examples of a mini-batch. `size` is the usual number of examples in a mini-batch. The last
  /// mini-batch may have fewer examples.
  private func step(
    _ batch: ArraySlice<Int>, _ reader: inout NetworkExamples, _ settings: TrainingSettings,
    size: Int
  ) throws -> Double {
    let trainer: NetworkTrainer = try translatingErrors {
      try makeTrainer(batchSize: size, settings)
    }
    let examples: [NetworkExamples.Example] = try batch.map { try reader[$0] }
    return try translatingErrors {
      try trainer.step(examples, learningRate: settings.learningRate)
    }
  }

  /// Returns the trainer for the settings. A new trainer continues from the state of the previous trainer.
  private func makeTrainer(batchSize: Int, _ settings: TrainingSettings) throws -> NetworkTrainer {
    let method: Optimizer = network.update.optimizer(settings)
    if let trainer, trainer.batchSize == batchSize, trainer.method == method { return trainer }
    var options: ExecutionOptions = self.options
    // Threads wait for each other at every layer. For small networks, waiting takes longer than the computation, so one
    // thread computes them. The number of threads does not change the result.
    if let threadCount {
      options.threads = max(1, threadCount)
    } else if network.multiplications <= NetworkLearner.singleThreadLimit / batchSize {
      options.threads = 1
    }
    let fresh = try NetworkTrainer(
      network, batchSize: batchSize, method: method, options: options, continuing: trainer)
    trainer = fresh
    return fresh
  }
}

extension NetworkUpdate {
  /// Returns the optimiser that the model file selects, with the current values of the training parameters.
  fileprivate func optimizer(_ settings: TrainingSettings) -> Optimizer {
    switch method {
    case .sgd: .sgd(momentum: settings.momentum)
    case .adam:
      .adam(beta1: settings.beta1, beta2: settings.beta2, epsilon: settings.epsilon)
    }
  }
}
