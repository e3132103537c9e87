import Graph
import ModelFormat
import Operators

extension ActivationOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .activation(Spec.ActivationParams(function))
  }
}

extension ChannelActivationOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.ActivationParams()
    switch function {
    case .pReLU:
      var parameters = Spec.ActivationPReLU()
      parameters.alpha = try encoder.weights(1, "parameters")
      message.nonlinearityType = .pReLU(parameters)
    case .parametricSoftplus:
      var parameters = Spec.ActivationParametricSoftplus()
      parameters.alpha = try encoder.weights(1, "parameters")
      parameters.beta = try encoder.weights(2, "parameters")
      message.nonlinearityType = .parametricSoftplus(parameters)
    }
    encoder.layer.layer = .activation(message)
  }
}

extension Spec.ActivationParams {
  /// Makes the message of an activation function. The writers of recurrent layers also use this initialiser.
  package init(_ function: ActivationFunction) {
    self.init()
    switch function {
    case .linear(let alpha, let beta):
      var it = Spec.ActivationLinear()
      (it.alpha, it.beta) = (alpha, beta)
      nonlinearityType = .linear(it)
    case .reLU: nonlinearityType = .reLU(.init())
    case .leakyReLU(let alpha):
      var it = Spec.ActivationLeakyReLU()
      it.alpha = alpha
      nonlinearityType = .leakyReLU(it)
    case .thresholdedReLU(let alpha):
      var it = Spec.ActivationThresholdedReLU()
      it.alpha = alpha
      nonlinearityType = .thresholdedReLU(it)
    case .tanh: nonlinearityType = .tanh(.init())
    case .scaledTanh(let alpha, let beta):
      var it = Spec.ActivationScaledTanh()
      (it.alpha, it.beta) = (alpha, beta)
      nonlinearityType = .scaledTanh(it)
    case .sigmoid: nonlinearityType = .sigmoid(.init())
    case .sigmoidHard(let alpha, let beta):
      var it = Spec.ActivationSigmoidHard()
      (it.alpha, it.beta) = (alpha, beta)
      nonlinearityType = .sigmoidHard(it)
    case .elu(let alpha):
      var it = Spec.ActivationELU()
      it.alpha = alpha
      nonlinearityType = .elu(it)
    case .softsign: nonlinearityType = .softsign(.init())
    case .softplus: nonlinearityType = .softplus(.init())
    case .parametricSoftplus(let alpha, let beta):
      var it = Spec.ActivationParametricSoftplus()
      (it.alpha, it.beta) = (Spec.WeightParams([alpha]), Spec.WeightParams([beta]))
      nonlinearityType = .parametricSoftplus(it)
    }
  }
}
