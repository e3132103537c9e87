import Graph

/// Applies a nonlinearity whose parameters go by channel.
///
/// - Inputs: a tensor, then the function's parameters: `[C, 1, 1]` against `[…, C, H, W]`, or one value for
///   all channels.
/// - Output: the shape of the tensor.
/// - Errors: parameters of another count than 1 or C; a rank below three with parameters by channel.
///
/// **Source:** `ActivationPReLU` and `ActivationParametricSoftplus` in NeuralNetwork.proto; He et al.
/// (arXiv:1502.01852).
public struct ChannelActivationOperator: PointwiseOperator {
  /// A nonlinearity with parameters.
  public enum Function: Sendable, Hashable {
    /// x where x ≥ 0, alpha · x elsewhere; one parameter, alpha.
    case pReLU
    /// alpha · log(1 + e^(beta · x)); two parameters, alpha and beta.
    case parametricSoftplus

    /// The number of parameters.
    public var parameterCount: Int { self == .pReLU ? 1 : 2 }
  }

  /// The nonlinearity.
  public var function: Function

  public static let declaration = OperatorDeclaration(
    "ChannelActivation", summary: "a nonlinearity of each element with parameters by channel")

  /// An operator that applies a nonlinearity.
  public init(_ function: Function) { self.function = function }

  /// Models know both kinds by one name.
  public var name: String { ActivationOperator.declaration.name }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = 1 + function.parameterCount
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let shape = inputs[0].shape
    for parameter in inputs.dropFirst().map(\.shape) where parameter.count != 1 {
      guard shape.rank >= 3 else {
        throw EngineError(
          .invalidInput,
          "the input has the shape \(shape), expected rank 3 or more because there are parameters for \(parameter.count) channels."
        )
      }
      guard parameter.count == shape[-3] else {
        throw EngineError(
          .invalidInput,
          "the input has \(shape[-3]) channels (\(shape)), expected \(parameter.count), for which there are parameters."
        )
      }
      guard parameter.rank >= 3, parameter[-3] == shape[-3] else {
        throw EngineError(
          .invalidInput,
          "the parameters have the shape \(parameter), expected \(shape[-3]) × 1 × 1.")
      }
    }
    return [inputs[0].type]
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let (x, alpha) = (operands[0], operands[1])
    switch function {
    case .pReLU: return x >= 0 ? x : alpha * x
    case .parametricSoftplus: return alpha * UnaryFunction.softplus(operands[2] * x)
    }
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1 + function.parameterCount)
    switch function {
    case .pReLU: program.append(.pReLU, 0, 1)
    case .parametricSoftplus:
      let scaled = program.append(.multiply, 0, 2)
      let bent = program.append(.softplus, scaled)
      program.append(.multiply, bent, 1)
    }
    return program
  }
}

extension ChannelActivationOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    let alpha: Formula = x[1]
    switch (function, input) {
    case (.pReLU, 0): return dy * .select(x[0].isAtLeast(0), 1, alpha)
    case (.pReLU, _): return dy * x[0] * Formula.number(0).isAbove(x[0])
    case (.parametricSoftplus, 0): return dy * (alpha * x[2]) * .function(.sigmoid, x[2] * x[0])
    case (.parametricSoftplus, 1): return dy * .function(.softplus, x[2] * x[0])
    case (.parametricSoftplus, _): return dy * (alpha * x[0]) * .function(.sigmoid, x[2] * x[0])
    }
  }
}
