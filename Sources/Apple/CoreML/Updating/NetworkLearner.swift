import Engine
import Foundation
import Operators
import ModelFormat
import Training

/// Teaches a neural network: the weights and biases that its file marks as updatable, by gradients.
final class NetworkLearner: Learner {
  private let model: Spec.Model
  private let network: TrainableNetwork
  private let target: NetworkExamples.Target
  private let options: ExecutionOptions
  private let threadCount: Int?
  private var trainer: NetworkTrainer?

  /// Up to how many multiplications forward a step stays on one thread: some three milliseconds with
  /// the way back.
  private static let fewMultiplications: Int = 10_000_000

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

  /// What the loss compares with: the feature that it names, or for classifiers the label.
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
        "its loss compares with \"\(update.targetName)\", which is not among its training inputs")
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
            "The loss is not a number any more in epoch \(epoch), mini-batch \(number). A smaller "
              + "learning rate than \(settings.learningRate) may help, or inputs of a smaller scale."
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

  /// One step with the examples of a mini-batch, which may be smaller than the others.
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

  /// The trainer for the settings; it takes over what another one has learned.
  private func makeTrainer(batchSize: Int, _ settings: TrainingSettings) throws -> NetworkTrainer {
    let method: Optimizer = network.update.optimizer(settings)
    if let trainer, trainer.batchSize == batchSize, trainer.method == method { return trainer }
    var options: ExecutionOptions = self.options
    // Threads wait for each other at every layer: longer than the steps of small networks take. The
    // result is the same on any number of them.
    if let threadCount {
      options.threads = max(1, threadCount)
    } else if network.multiplications <= NetworkLearner.fewMultiplications / batchSize {
      options.threads = 1
    }
    let fresh = try NetworkTrainer(
      network, batchSize: batchSize, method: method, options: options, continuing: trainer)
    trainer = fresh
    return fresh
  }
}

extension NetworkUpdate {
  /// The optimiser with the numbers that are set now.
  fileprivate func optimizer(_ settings: TrainingSettings) -> Optimizer {
    switch method {
    case .sgd: .sgd(momentum: settings.momentum)
    case .adam:
      .adam(beta1: settings.beta1, beta2: settings.beta2, epsilon: settings.epsilon)
    }
  }
}
