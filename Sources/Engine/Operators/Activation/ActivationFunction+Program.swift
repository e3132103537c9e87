extension ActivationFunction {
  /// Appends operations that apply the function to the register `x` of a program.
  package func append(to program: inout PointwiseProgram, input x: Int) {
    switch self {
    case .linear(let alpha, let beta): program.append(.affine, x, alpha: alpha, beta: beta)
    case .reLU: program.append(.leakyReLU, x)
    case .leakyReLU(let alpha): program.append(.leakyReLU, x, alpha: alpha)
    case .thresholdedReLU(let alpha): program.append(.thresholdedReLU, x, alpha: alpha)
    case .tanh: program.append(.tanh, x)
    case .scaledTanh(let alpha, let beta):
      let scaled = program.append(.affine, x, alpha: beta)
      let bent = program.append(.tanh, scaled)
      program.append(.affine, bent, alpha: alpha)
    case .sigmoid: program.append(.sigmoid, x)
    case .sigmoidHard(let alpha, let beta):
      let linear = program.append(.affine, x, alpha: alpha, beta: beta)
      program.append(.clip, linear, alpha: 0, beta: 1)
    case .elu(let alpha): program.append(.elu, x, alpha: alpha)
    case .softsign: program.append(.softsign, x)
    case .softplus: program.append(.softplus, x)
    case .parametricSoftplus(let alpha, let beta):
      let scaled = program.append(.affine, x, alpha: beta)
      let bent = program.append(.softplus, scaled)
      program.append(.affine, bent, alpha: alpha)
    }
  }
}
