import Foundation
import ModelFormat

/// How a neural network is to be trained, as its file says.
///
/// **Source:** `NetworkUpdateParameters`.
struct NetworkUpdate: Sendable {
  /// What is made small.
  enum Loss: Sendable {
    /// The mean of (value − target)².
    case squaredError
    /// −log of the target's probability; the value is a softmax's.
    case crossEntropy
  }

  /// Which steps are taken.
  enum Method: Sendable {
    case sgd
    case adam
  }

  let loss: Loss
  /// The network's value that the loss looks at.
  let valueName: String
  /// The training feature that it should be.
  let targetName: String
  let method: Method

  /// Reads and checks what the file says.
  init(_ message: Spec.NetworkUpdateParameters?) throws {
    guard let message else {
      throw NetworkUpdate.unfit("it does not say how it is to be trained (updateParams)")
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

  /// An error about the model: “The neural network cannot be trained: …”.
  static func unfit(_ reason: String) -> MLModelError {
    MLModelError(.update, "The neural network cannot be trained: \(reason).")
  }
}

/// The numbers of a training as they are now.
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

  /// Reads the parameters; what the model does not have is 1 epoch, all examples in one step, in their
  /// order, and Adam's usual numbers.
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
