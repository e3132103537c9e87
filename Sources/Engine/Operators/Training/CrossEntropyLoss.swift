import Graph
import Glibc

/// The cross entropy between a softmax and what it should be, from the numbers before the softmax.
///
///     y = Σ t[n, i] · (log Σ e^z[n, j] − z[n, i])
///
/// Computed from `z` and not from the probabilities, none of which may become 0, the loss is right and
/// has a gradient however wrong the network is.
///
/// - Inputs: `z`, and targets `t` of the same shape: the share of each class, times the weight of the
///   example. One over the number of examples gives the mean; zeros leave an example out.
/// - ``axis``: the axis of the classes; negative ones count from the end.
/// - Output: `[1]`.
/// - Errors: inputs of different shapes, an axis that they do not have.
///
/// Made for training only; no model holds it. Runs on the reference.
///
/// **Source:** `CategoricalCrossEntropyLossLayer`.
public struct CrossEntropyLossOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CrossEntropyLoss", summary: "Σ t · (log Σ e^z − z)")

  /// The axis of the classes; negative ones count from the end.
  public var axis: Int

  /// A loss.
  public init(axis: Int) { self.axis = axis }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try requireOneShape(inputs, count: 2)
    try requireAxis(axis, of: inputs[0].shape)
    return [TensorType([1])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var sum: Double = 0
    forEachDistribution(inputs[0].shape, axis: axis) { places in
      let logits: [Double] = places.map { inputs[0].values[$0] }
      let largest: Double = logits.max() ?? 0
      let logarithm: Double = largest + log(logits.map { exp($0 - largest) }.reduce(0, +))
      for (place, logit) in zip(places, logits) {
        sum += inputs[1].values[place] * (logarithm - logit)
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

/// The gradient of ``CrossEntropyLossOperator``: `(softmax(z) · Σ t − t) · g` with respect to `z`, and
/// `(log Σ e^z − z) · g` to the targets.
///
/// - Inputs: `z` and `t` of one shape, and the gradient of the loss, `[1]`.
/// - Output: the shape of `z`.
public struct CrossEntropyGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CrossEntropyGradient", summary: "(softmax(z) · Σ t − t) · g")

  /// What the loss depends on.
  public enum Variable: Sendable, CaseIterable {
    case logits
    case targets
  }

  /// What the gradient is taken by.
  public var variable: Variable
  /// The axis of the classes; negative ones count from the end.
  public var axis: Int

  /// A gradient.
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
    forEachDistribution(inputs[0].shape, axis: axis) { places in
      let largest: Double = places.map { inputs[0].values[$0] }.max() ?? 0
      let powers: [Double] = places.map { exp(inputs[0].values[$0] - largest) }
      let sum: Double = powers.reduce(0, +)
      let weight: Double = places.map { inputs[1].values[$0] }.reduce(0, +)
      for (place, power) in zip(places, powers) {
        let value: Double =
          variable == .logits
          ? power / sum * weight - inputs[1].values[place]
          : largest + log(sum) - inputs[0].values[place]
        result.values[place] = value * inputs[2].values[0]
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

/// Calls `body` with the places of the elements along an axis, for every place on the others.
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
