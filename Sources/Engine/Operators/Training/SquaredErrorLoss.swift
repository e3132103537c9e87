import Graph

/// The weighted sum of squared differences between values and targets.
///
///     y = Σ w[i] · (x[i] − t[i])²
///
/// - Inputs: values `x`, targets `t` and weights `w` of one shape. If all weights are 1 / (number of values), the loss
///   is the mean squared error. A weight of 0 ignores a value, for example a value in the padding of a mini-batch.
/// - Output: `[1]`.
/// - Errors: inputs of different shapes.
///
/// Only training adds this operator to a graph. No model file contains it. The operator has no kernel and runs its
/// reference implementation, which is fast enough because the outputs of trained networks are small.
///
/// **Source:** `MeanSquaredErrorLossLayer`.
public struct SquaredErrorLossOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "SquaredErrorLoss", summary: "Σ w · (x − t)²")

  /// Creates a squared-error loss.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try requireOneShape(inputs, count: 3)
    return [TensorType([1])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var sum: Double = 0
    for index in inputs[0].values.indices {
      let difference: Double = inputs[0].values[index] - inputs[1].values[index]
      sum += inputs[2].values[index] * difference * difference
    }
    return [ReferenceTensor([1], [sum])]
  }

}

extension SquaredErrorLossOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try SquaredErrorGradientOperator.Variable.allCases.enumerated().map { number, variable in
      guard context.isWanted[number] else { return nil }
      return try context.add(
        SquaredErrorGradientOperator(variable: variable), context.inputs[0], context.inputs[1],
        context.inputs[2], context.outputGradient)
    }
  }
}

/// The gradient of ``SquaredErrorLossOperator``. The gradient of the values is `2 · w · (x − t) · g`, that of the
/// targets is `−2 · w · (x − t) · g`, and that of the weights is `(x − t)² · g`. `g` is the gradient of the loss.
///
/// - Inputs: values, targets and weights of one shape, and `g` of shape `[1]`.
/// - Output: the shape of the values.
public struct SquaredErrorGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "SquaredErrorGradient", summary: "2 · w · (x − t) · g")

  /// The inputs of the loss that have a gradient.
  public enum Variable: Sendable, CaseIterable {
    case values
    case targets
    case weights
  }

  /// The input of the loss for which the operator computes the gradient.
  public var variable: Variable

  /// Creates the gradient of a squared-error loss.
  public init(variable: Variable) { self.variable = variable }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try requireOneShape(Array(inputs.dropLast()), count: 3)
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result: ReferenceTensor = inputs[0]
    let scale: Double = inputs[3].values[0]
    for index in result.values.indices {
      let difference: Double = inputs[0].values[index] - inputs[1].values[index]
      let weight: Double = inputs[2].values[index]
      switch variable {
      case .values: result.values[index] = 2 * scale * weight * difference
      case .targets: result.values[index] = -2 * scale * weight * difference
      case .weights: result.values[index] = scale * difference * difference
      }
    }
    return [result]
  }

}

/// Throws unless there are `count` inputs and all of them have the same shape.
package func requireOneShape(_ inputs: [OperatorInput], count: Int) throws {
  guard inputs.count == count, let first = inputs.first else {
    throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected \(count).")
  }
  for (position, input) in inputs.enumerated() where input.shape != first.shape {
    throw EngineError(
      .invalidInput,
      "input \(position + 1) has the shape \(input.shape), expected \(first.shape).")
  }
}
