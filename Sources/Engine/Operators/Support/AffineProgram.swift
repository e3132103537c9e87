import Graph

extension PointwiseProgram {
  /// `activation(scale · x + shift)` with parameters of any shape that is broadcast against the
  /// input; a missing one is 1 or 0.
  package static func affine(
    scale: Constant?, shift: Constant?, activation: ActivationFunction? = nil
  ) -> PointwiseProgram {
    let parameters: [Constant] = [scale, shift].compactMap { $0 }
    var program = PointwiseProgram(inputCount: 1, constants: parameters)
    var register: Int = 0
    if scale != nil { register = program.append(.multiply, register, 1) }
    if shift != nil { register = program.append(.add, register, parameters.count) }
    if scale == nil && shift == nil { register = program.append(.affine, register, alpha: 1) }
    activation?.append(to: &program, input: register)
    return program
  }
}

extension Weights {
  /// The values as an operand that is broadcast against `[…, C, H, W]`.
  package func operand() throws -> PointwiseProgram.Constant {
    PointwiseProgram.Constant(shape: shape, values: try floats())
  }
}
