import Engine
import Operators

extension Graph {
  /// Returns the extents of a value. Throws if its type is not known.
  func knownShape(of value: ValueID) throws -> Shape {
    guard let shape = self[value].type?.shape else {
      throw StyleTransferError(
        .network,
        "The shape of '\(self[value].name)' is not known. Infer the graph's types before adding"
          + " losses.")
    }
    return shape
  }

  /// Adds the computation of `factor · Σ (first − second)²` over all elements. The result has one element.
  mutating func addSquaredDifference(
    _ first: ValueID, _ second: ValueID, factor: Double, name: String
  ) throws -> ValueID {
    let difference: ValueID = try apply(
      BinaryFunctionOperator(.subtract), to: [first, second], name: "\(name) difference")
    return try addSquares(difference, factor: factor, name: name)
  }

  /// Adds the computation of `factor · Σ value²` over all elements. The result has one element.
  mutating func addSquares(_ value: ValueID, factor: Double, name: String) throws -> ValueID {
    let sum: ValueID = try apply(
      ReduceAxesOperator(.sumOfSquares, axes: [], keepsAxes: false), to: [value],
      name: "\(name) squares")
    return try apply(
      MultiplyOperator(inputCount: 1, alpha: Float(factor)), to: [sum], name: name)
  }

  /// Adds `factor · (1 − mean)` of all elements. The result has one element.
  mutating func addOneMinusMean(
    _ value: ValueID, factor: Double = 1, name: String
  ) throws -> ValueID {
    let mean: ValueID = try apply(
      ReduceAxesOperator(.mean, axes: [], keepsAxes: false), to: [value], name: "\(name) mean")
    return try apply(
      ActivationOperator(.linear(alpha: -Float(factor), beta: Float(factor))), to: [mean],
      name: name)
  }

  /// Adds the sum of several values. Returns the value itself if there is only one.
  mutating func addSum(_ terms: [ValueID], name: String) throws -> ValueID {
    precondition(!terms.isEmpty, "a sum has at least one term")
    guard terms.count > 1 else { return terms[0] }
    return try apply(AddOperator(inputCount: terms.count), to: terms, name: name)
  }
}
