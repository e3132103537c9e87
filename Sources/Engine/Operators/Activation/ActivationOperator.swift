import Graph

/// Applies a nonlinearity to every element: `y = f(x)`.
///
/// - Input: any shape. Functions with parameters for each channel want rank three or more,
///   `[…, C, H, W]`; parameters of one value serve all channels and any rank.
/// - Output: the shape of the input.
/// - Defaults: parameters that the file omits are zero, as protobuf has it.
/// - Errors: no function in the message; parameters of another count than 1 or C.
///
/// **Source:** `ActivationParams` in NeuralNetwork.proto; the formulas stand at
/// ``ActivationFunction``.
public struct ActivationOperator: PointwiseOperator {
  /// The nonlinearity.
  public var function: ActivationFunction

  public static let declaration = OperatorDeclaration(
    "Activation", specification: "activation",
    summary: "a nonlinearity of each element: ReLU, tanh, sigmoid and ten others")

  /// A layer with a nonlinearity.
  public init(_ function: ActivationFunction) { self.function = function }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape = inputs[0].shape
    for count in function.channelParameterCounts where count != 1 {
      guard shape.rank >= 3 else {
        throw EngineError(
          .invalidInput,
          "the input has the shape \(shape), expected rank 3 or more because there are parameters for \(count) channels."
        )
      }
      guard shape[-3] == count else {
        throw EngineError(
          .invalidInput,
          "the input has \(shape[-3]) channels (\(shape)), expected \(count), for which there are parameters."
        )
      }
    }
    return [TensorType(shape)]
  }

  /// The value of a function whose parameters serve all channels.
  public func evaluate(_ operands: [Double]) -> Double { function(operands[0]) }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    let shape = result.shape
    let plane = function.isPerChannel ? max(shape[-1] * shape[-2], 1) : 1
    let channels = function.isPerChannel ? shape[-3] : 1
    for position in result.values.indices {
      result.values[position] = function(
        result.values[position], channel: position / plane % channels)
    }
    return [result]
  }
}
