import Engine
import Operators

extension Graph {
  /// The extents of a value whose type is known.
  func knownShape(of value: ValueID) throws -> Shape {
    guard let shape = self[value].type?.shape else {
      throw StyleTransferError(
        .network,
        "The shape of '\(self[value].name)' is not known. Infer the graph's types before losses are"
          + " added.")
    }
    return shape
  }

  /// `factor · Σ (a − b)²` over everything; one number.
  mutating func addSquaredDifference(
    _ first: ValueID, _ second: ValueID, factor: Double, name: String
  ) throws -> ValueID {
    let difference: ValueID = try apply(
      BinaryFunctionOperator(.subtract), to: [first, second], name: "\(name) difference")
    return try addSquares(difference, factor: factor, name: name)
  }

  /// `factor · Σ a²` over everything; one number.
  mutating func addSquares(_ value: ValueID, factor: Double, name: String) throws -> ValueID {
    let sum: ValueID = try apply(
      ReduceAxesOperator(.sumOfSquares, axes: [], keepsAxes: false), to: [value],
      name: "\(name) squares")
    return try apply(
      MultiplyOperator(inputCount: 1, alpha: Float(factor)), to: [sum], name: name)
  }

  /// The sum of numbers, or the number itself where there is one.
  mutating func addSum(_ terms: [ValueID], name: String) throws -> ValueID {
    precondition(!terms.isEmpty, "a sum of something")
    guard terms.count > 1 else { return terms[0] }
    return try apply(AddOperator(inputCount: terms.count), to: terms, name: name)
  }
}
