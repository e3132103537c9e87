import Graph
import Glibc

/// The cross-entropy loss between the softmax of logits `z` and targets `t`.
///
///     y = Σ t[n, i] · (log Σ e^z[n, j] − z[n, i])     over examples n and classes i; the inner sum over classes j
///
/// The operator reads logits instead of probabilities. A softmax rounds tiny probabilities to 0, and the logarithm of 0
/// is −∞. The loss of logits is finite and has a gradient, even if the network's predictions are very wrong.
///
/// - Inputs: `z`, and targets `t` of the same shape. A target is the probability of a class times the weight of the
///   example. If all weights are 1 / (number of examples), the loss is the mean over the examples. A weight of 0
///   ignores an example.
/// - ``axis``: the axis of the classes; a negative one counts from the end.
/// - Output: `[1]`.
/// - Errors: inputs of different shapes. An axis that the inputs do not have.
///
/// Only training adds this operator to a graph. No model file contains it. The operator has no kernel and runs its
/// reference implementation.
///
/// **Source:** `CategoricalCrossEntropyLossLayer`.
public struct CrossEntropyLossOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CrossEntropyLoss", summary: "Σ t · (log Σ e^z − z)")

  /// The axis of the classes; a negative one counts from the end.
  public var axis: Int

  /// Creates a cross-entropy loss.
  public init(axis: Int) { self.axis = axis }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try requireOneShape(inputs, count: 2)
    try requireAxis(axis, of: inputs[0].shape)
    return [TensorType([1])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var sum: Double = 0
    forEachDistribution(inputs[0].shape, axis: axis) { offsets in
      let logits: [Double] = offsets.map { inputs[0].values[$0] }
      let largest: Double = logits.max() ?? 0
      let logarithm: Double = largest + log(logits.map { exp($0 - largest) }.reduce(0, +))
      for (offset, logit) in zip(offsets, logits) {
        sum += inputs[1].values[offset] * (logarithm - logit)
      }
    }
    return [ReferenceTensor([1], [sum])]
  }

}

extension CrossEntropyLossOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try CrossEntropyGradientOperator.Variable.allCases.enumerated().map { number, variable in
      guard context.isWanted[number] else { return nil }
      return try context.add(
        CrossEntropyGradientOperator(variable: variable, axis: axis), context.inputs[0],
        context.inputs[1], context.outputGradient)
    }
  }
}

/// The gradient of ``CrossEntropyLossOperator``. The gradient of the logits `z` is `(softmax(z) · Σ t − t) · g`, and
/// the gradient of the targets `t` is `(log Σ e^z − z) · g`. `g` is the gradient of the loss, and `Σ` is a sum over the
/// classes of an example.
///
/// - Inputs: `z` and `t` of one shape, and `g` of shape `[1]`.
/// - Output: the shape of `z`.
public struct CrossEntropyGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CrossEntropyGradient", summary: "(softmax(z) · Σ t − t) · g")

  /// The inputs of the loss that have a gradient.
  public enum Variable: Sendable, CaseIterable {
    case logits
    case targets
  }

  /// The input of the loss for which the operator computes the gradient.
  public var variable: Variable
  /// The axis of the classes; a negative one counts from the end.
  public var axis: Int

  /// Creates the gradient of a cross-entropy loss.
  public init(variable: Variable, axis: Int) {
    self.variable = variable
    self.axis = axis
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try requireOneShape(Array(inputs.dropLast()), count: 2)
    try requireAxis(axis, of: inputs[0].shape)
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result: ReferenceTensor = inputs[0]
    forEachDistribution(inputs[0].shape, axis: axis) { offsets in
      let largest: Double = offsets.map { inputs[0].values[$0] }.max() ?? 0
      let powers: [Double] = offsets.map { exp(inputs[0].values[$0] - largest) }
      let sum: Double = powers.reduce(0, +)
      let weight: Double = offsets.map { inputs[1].values[$0] }.reduce(0, +)
      for (offset, power) in zip(offsets, powers) {
        let value: Double =
          variable == .logits
          ? power / sum * weight - inputs[1].values[offset]
          : largest + log(sum) - inputs[0].values[offset]
        result.values[offset] = value * inputs[2].values[0]
      }
    }
    return [result]
  }

}

private func requireAxis(_ axis: Int, of shape: Shape) throws {
  guard shape.resolvedAxis(axis) != nil else {
    throw EngineError(
      .invalidInput,
      "the axis is \(axis), expected one of the input's \(shape.rank) dimensions (\(shape)).")
  }
}

/// Calls `body` once for each one-dimensional slice along `axis`, with the offsets of the slice's elements.
private func forEachDistribution(_ shape: Shape, axis: Int, _ body: ([Int]) -> Void) {
  guard let resolved = shape.resolvedAxis(axis), shape.count > 0 else { return }
  let extent: Int = shape[resolved]
  let inner: Int = shape.dimensions.dropFirst(resolved + 1).product
  for outer in 0..<shape.count / (extent * inner) {
    for offset in 0..<inner {
      body((0..<extent).map { outer * extent * inner + $0 * inner + offset })
    }
  }
}
