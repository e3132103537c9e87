import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

/// Layers that have pseudo-random weights, and more units than a vector register has lanes.
extension Spec.NeuralNetworkLayer {
  private static let sigmoid: Spec.ActivationParams = .making {
    $0.nonlinearityType = .sigmoid(.init())
  }
  private static let tanh: Spec.ActivationParams = .making { $0.nonlinearityType = .tanh(.init()) }
  private static let hard: Spec.ActivationParams = .making {
    $0.nonlinearityType = .sigmoidHard(.making { ($0.alpha, $0.beta) = (0.3, 0.4) })
  }
  private static let scaled: Spec.ActivationParams = .making {
    $0.nonlinearityType = .scaledTanh(.making { ($0.alpha, $0.beta) = (1.2, 0.7) })
  }
  private static let linear: Spec.ActivationParams = .making {
    $0.nonlinearityType = .linear(.making { ($0.alpha, $0.beta) = (0.9, 0.1) })
  }

  package static func wideSimple(inputs: Int, units: Int) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .simpleRecurrent(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (UInt64(inputs), UInt64(units))
          ($0.activation, $0.sequenceOutput, $0.hasBiasVector) = (scaled, true, true)
          $0.weightMatrix = .random(units * inputs, seed: 1)
          $0.recursionMatrix = .random(units * units, seed: 2)
          $0.biasVector = .random(units, seed: 3)
        }), outputs: 2)
  }

  package static func wideGRU(inputs: Int, units: Int) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .gru(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (UInt64(inputs), UInt64(units))
          $0.activations = [hard, tanh]
          ($0.sequenceOutput, $0.hasBiasVectors, $0.reverseInput) = (true, true, true)
          $0.updateGateWeightMatrix = .random(units * inputs, seed: 1)
          $0.resetGateWeightMatrix = .random(units * inputs, seed: 2)
          $0.outputGateWeightMatrix = .random(units * inputs, seed: 3)
          $0.updateGateRecursionMatrix = .random(units * units, seed: 4)
          $0.resetGateRecursionMatrix = .random(units * units, seed: 5)
          $0.outputGateRecursionMatrix = .random(units * units, seed: 6)
          $0.updateGateBiasVector = .random(units, seed: 7)
          $0.resetGateBiasVector = .random(units, seed: 8)
          $0.outputGateBiasVector = .random(units, seed: 9)
        }), outputs: 2)
  }

  /// Creates an LSTM. If `isPlain` is true, it has the usual activations and no special options. Otherwise, it has
  /// other activations, a reversed input, a forget bias, peepholes and a clip threshold.
  package static func wideLSTM(inputs: Int, units: Int, isPlain: Bool) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .uniDirectionalLSTM(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (UInt64(inputs), UInt64(units))
          $0.activations = isPlain ? [sigmoid, tanh, tanh] : [hard, scaled, linear]
          $0.reverseInput = !isPlain
          $0.params = .making {
            ($0.sequenceOutput, $0.hasBiasVectors) = (true, true)
            guard !isPlain else { return }
            ($0.forgetBias, $0.hasPeepholeVectors, $0.cellClipThreshold) = (true, true, 0.4)
          }
          $0.weightParams = weights(inputs, units, seed: 1)
        }), outputs: 3)
  }

  package static func wideBidirectional(inputs: Int, units: Int) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .biDirectionalLSTM(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (UInt64(inputs), UInt64(units))
          $0.activationsForwardLSTM = [sigmoid, tanh, tanh]
          $0.activationsBackwardLSTM = [hard, scaled, tanh]
          $0.params = .making {
            ($0.sequenceOutput, $0.hasBiasVectors, $0.coupledInputAndForgetGate) = (
              true, true, true
            )
            $0.hasPeepholeVectors = true
          }
          $0.weightParams = [weights(inputs, units, seed: 1), weights(inputs, units, seed: 50)]
        }), outputs: 5)
  }

  private static func weights(_ inputs: Int, _ units: Int, seed: UInt64) -> Spec.LSTMWeightParams {
    func matrix(_ index: UInt64) -> Spec.WeightParams {
      .random(units * inputs, seed: seed + index)
    }
    func recursion(_ index: UInt64) -> Spec.WeightParams {
      .random(units * units, seed: seed + 10 + index)
    }
    func vector(_ index: UInt64) -> Spec.WeightParams { .random(units, seed: seed + 20 + index) }
    return .making {
      ($0.inputGateWeightMatrix, $0.forgetGateWeightMatrix) = (matrix(0), matrix(1))
      ($0.blockInputWeightMatrix, $0.outputGateWeightMatrix) = (matrix(2), matrix(3))
      ($0.inputGateRecursionMatrix, $0.forgetGateRecursionMatrix) = (recursion(0), recursion(1))
      ($0.blockInputRecursionMatrix, $0.outputGateRecursionMatrix) = (recursion(2), recursion(3))
      ($0.inputGateBiasVector, $0.forgetGateBiasVector) = (vector(0), vector(1))
      ($0.blockInputBiasVector, $0.outputGateBiasVector) = (vector(2), vector(3))
      ($0.inputGatePeepholeVector, $0.forgetGatePeepholeVector) = (vector(4), vector(5))
      $0.outputGatePeepholeVector = vector(6)
    }
  }
}
