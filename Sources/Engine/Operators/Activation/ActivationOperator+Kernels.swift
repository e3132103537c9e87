import CPointwise
import Graph

extension ActivationOperator {
  public var program: PointwiseProgram { function.program }
}

extension ActivationFunction {
  /// The function as a program over one input.
  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1, constants: programConstants)
    append(to: &program, input: 0, firstConstant: 1)
    return program
  }

  /// The operands of functions with parameters for each channel.
  package var programConstants: [PointwiseProgram.Constant] {
    switch self {
    case .pReLU(let alpha): return alpha.count == 1 ? [] : [.perChannel(alpha)]
    case .parametricSoftplus(let alpha, let beta):
      return isPerChannel ? [.perChannel(alpha), .perChannel(beta)] : []
    default: return []
    }
  }

  /// Adds the function of a register to a program whose constants hold ``programConstants``.
  package func append(to program: inout PointwiseProgram, input x: Int, firstConstant: Int) {
    switch self {
    case .linear(let alpha, let beta): program.append(CPW_AFFINE, x, alpha: alpha, beta: beta)
    case .reLU: program.append(CPW_LEAKY_RELU, x)
    case .leakyReLU(let alpha): program.append(CPW_LEAKY_RELU, x, alpha: alpha)
    case .thresholdedReLU(let alpha): program.append(CPW_THRESHOLDED_RELU, x, alpha: alpha)
    case .pReLU(let alpha):
      if alpha.count == 1 {
        program.append(CPW_LEAKY_RELU, x, alpha: alpha[0])
      } else {
        program.append(CPW_PRELU, x, firstConstant)
      }
    case .tanh: program.append(CPW_TANH, x)
    case .scaledTanh(let alpha, let beta):
      let scaled = program.append(CPW_AFFINE, x, alpha: beta)
      let bent = program.append(CPW_TANH, scaled)
      program.append(CPW_AFFINE, bent, alpha: alpha)
    case .sigmoid: program.append(CPW_SIGMOID, x)
    case .sigmoidHard(let alpha, let beta):
      let line = program.append(CPW_AFFINE, x, alpha: alpha, beta: beta)
      program.append(CPW_CLIP, line, alpha: 0, beta: 1)
    case .elu(let alpha): program.append(CPW_ELU, x, alpha: alpha)
    case .softsign: program.append(CPW_SOFTSIGN, x)
    case .softplus: program.append(CPW_SOFTPLUS, x)
    case .parametricSoftplus(let alpha, let beta):
      if isPerChannel {
        let scaled = program.append(CPW_MULTIPLY, x, firstConstant + 1)
        let bent = program.append(CPW_SOFTPLUS, scaled)
        program.append(CPW_MULTIPLY, bent, firstConstant)
      } else {
        let scaled = program.append(CPW_AFFINE, x, alpha: beta[0])
        let bent = program.append(CPW_SOFTPLUS, scaled)
        program.append(CPW_AFFINE, bent, alpha: alpha[0])
      }
    }
  }
}
