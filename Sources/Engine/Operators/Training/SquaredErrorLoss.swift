import Graph

/// The weighted sum of squared differences.
///
///     y = Σ w[i] · (x[i] − t[i])²
///
/// - Inputs: values `x`, targets `t` and weights `w` of one shape. Weights that are one over the number
///   of values give the mean; weights of 0 leave values out, such as those that fill up a mini-batch.
/// - Output: `[1]`.
/// - Errors: inputs of different shapes.
///
/// Made for training only; no model holds it. Runs on the reference: what a network says of an example
/// is short.
///
/// **Source:** `MeanSquaredErrorLossLayer`.
public struct SquaredErrorLossOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "SquaredErrorLoss", summary: "Σ w · (x − t)²")

  /// A loss.
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

/// The gradient of ``SquaredErrorLossOperator``: `2 · w · (x − t) · g` with respect to the values, the same
/// with the other sign to the targets, and `(x − t)² · g` to the weights.
///
/// - Inputs: values, targets and weights of one shape, and the gradient of the loss, `[1]`.
/// - Output: the values' shape.
public struct SquaredErrorGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "SquaredErrorGradient", summary: "2 · w · (x − t) · g")

  /// What the loss depends on.
  public enum Variable: Sendable, CaseIterable {
    case values
    case targets
    case weights
  }

  /// What the gradient is taken by.
  public var variable: Variable

  /// A gradient.
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

/// Throws unless there are so many inputs, of the first one's shape.
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
