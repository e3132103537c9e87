import Foundation
import ModelFormat

/// The training settings in a neural network's file.
///
/// **Source:** `NetworkUpdateParameters`.
struct NetworkUpdate: Sendable {
  /// The loss to minimise.
  enum Loss: Sendable {
    /// The mean squared error: the mean of (value − target)².
    case squaredError
    /// The cross entropy: −log of the probability of the target class. The network must compute the probabilities with
    /// a softmax.
    case crossEntropy
  }

  /// The optimiser.
  enum Method: Sendable {
    case sgd
    case adam
  }

  let loss: Loss
  /// The name of the network's value that the loss compares with the target.
  let valueName: String
  /// The name of the training feature that is the target.
  let targetName: String
  let method: Method

  /// Reads and checks the settings in the file.
  init(_ message: Spec.NetworkUpdateParameters?) throws {
    guard let message else {
      throw NetworkUpdate.unfit("it has no training settings (updateParams)")
    }
    guard message.lossLayers.count == 1, let layer = message.lossLayers.first?.lossLayerType else {
      throw NetworkUpdate.unfit("it has \(message.lossLayers.count) loss layers; expected one")
    }
    switch layer {
    case .meanSquaredErrorLossLayer(let parameters):
      loss = .squaredError
      (valueName, targetName) = (parameters.input, parameters.target)
    case .categoricalCrossEntropyLossLayer(let parameters):
      loss = .crossEntropy
      (valueName, targetName) = (parameters.input, parameters.target)
    }
    switch message.optimizer?.optimizerType {
    case .sgdOptimizer?: method = .sgd
    case .adamOptimizer?: method = .adam
    case nil: throw NetworkUpdate.unfit("it names no optimiser")
    }
  }

  /// Makes an error with the message “The neural network cannot be trained: …”. `reason` completes the message.
  static func unfit(_ reason: String) -> MLModelError {
    MLModelError(.update, "The neural network cannot be trained: \(reason).")
  }
}

/// The current values of the training parameters.
struct TrainingSettings: Equatable {
  let epochs: Int
  let batchSize: Int
  let shuffles: Bool
  let seed: Int64
  let learningRate: Float
  let momentum: Float
  let beta1: Float
  let beta2: Float
  let epsilon: Float

  /// Reads the parameters. If the model does not have a parameter, this initialiser uses a default. The defaults are 1
  /// epoch, all examples in one mini-batch, no shuffling, a learning rate of 0.01, no momentum, and Adam's usual
  /// values.
  init(_ parameters: ModelParameters, exampleCount: Int) throws {
    epochs = Int(clamping: parameters.integer(.epochs) ?? 1)
    let size: Int64 = parameters.integer(.miniBatchSize) ?? Int64(exampleCount)
    guard size > 0 else {
      throw MLModelError(
        .parameters, "The parameter 'miniBatchSize' is \(size); expected 1 or more.")
    }
    batchSize = min(Int(clamping: size), exampleCount)
    shuffles = parameters.number(.shuffle).map { $0 != 0 } ?? false
    seed = parameters.integer(.seed) ?? 0
    learningRate = Float(parameters.number(.learningRate) ?? 0.01)
    momentum = Float(parameters.number(.momentum) ?? 0)
    beta1 = Float(parameters.number(.beta1) ?? 0.9)
    beta2 = Float(parameters.number(.beta2) ?? 0.999)
    epsilon = Float(parameters.number(.eps) ?? 1e-8)
  }
}
