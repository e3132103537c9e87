import Graph

/// Applies an activation function with parameters per channel.
///
/// - Inputs: a tensor, then one input per parameter of the function. For a tensor `[…, C, H, W]`, the input of a
///   parameter has the shape `[C, 1, 1]`, or it holds one value for all channels.
/// - Output: the shape of the tensor.
/// - Errors: the input of a parameter has neither 1 nor C values; the input of a parameter has one value per channel,
///   but the tensor's rank is below three.
///
/// **Source:** `ActivationPReLU` and `ActivationParametricSoftplus` in NeuralNetwork.proto; He et al.
/// (arXiv:1502.01852).
public struct ChannelActivationOperator: PointwiseOperator {
  /// An activation function with parameters.
  public enum Function: Sendable, Hashable {
    /// x where x ≥ 0, alpha · x elsewhere; one parameter, alpha.
    case pReLU
    /// alpha · log(1 + e^(beta · x)); two parameters, alpha and beta.
    case parametricSoftplus

    /// The number of parameter inputs.
    public var parameterCount: Int { self == .pReLU ? 1 : 2 }
  }

  /// The activation function.
  public var function: Function

  public static let declaration = OperatorDeclaration(
    "ChannelActivation",
    summary: "an activation function of each element with parameters per channel")

  /// Creates an operator that applies an activation function.
  public init(_ function: Function) { self.function = function }

  /// The name of ``ActivationOperator``, because models use one name for both operators.
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
          "the input has the shape \(shape), expected rank 3 or more, because the parameters are for \(parameter.count) channels."
        )
      }
      guard parameter.count == shape[-3] else {
        throw EngineError(
          .invalidInput,
          "the input has \(shape[-3]) channels (\(shape)), expected \(parameter.count), the number of parameters."
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
