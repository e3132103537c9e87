import Graph

/// Adds elements of one value before and after every axis.
///
/// - Inputs: any tensor, and optionally the amounts as a vector; without it, the parameter. Amounts
///   are `[before, after]` for each axis, first axis first.
/// - With `padsToSize` a number other than 0 is the size that its axis shall have in the end, filled up
///   on the side where the number stands; 0 leaves the axis.
///
/// **Source:** `ConstantPaddingLayerParams`.
public struct ConstantPadOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ConstantPad", summary: "adds elements of one value around every axis")

  /// What the added places hold.
  public let value: Float
  /// `[before, after]` for each axis; nil when the second input says.
  public let amounts: [Int]?
  /// Whether amounts are final sizes.
  public let padsToSize: Bool

  /// A padding; nil amounts where the second input holds them.
  public init(value: Float, amounts: [Int]?, padsToSize: Bool = false) {
    self.value = value
    self.amounts = amounts
    self.padsToSize = padsToSize
  }

  /// What is added before and after each axis.
  package func borders(_ input: Shape, _ amounts: [Int]) throws -> [(before: Int, after: Int)] {
    try input.requireAmounts(amounts)
    return try (0..<input.rank).map { axis in
      let (before, after) = (amounts[2 * axis], amounts[2 * axis + 1])
      guard padsToSize else { return (before, after) }
      let size: Int = max(before, after)
      guard size == 0 || size >= input[axis] else {
        throw EngineError(
          .invalidInput,
          "axis \(axis) of the input (\(input)) shall be filled up to \(size), but has \(input[axis]) already."
        )
      }
      let missing: Int = size == 0 ? 0 : size - input[axis]
      return before > 0 ? (missing, 0) : (0, missing)
    }
  }

  private func shape(_ input: Shape, _ amounts: [Int]) throws -> Shape {
    let borders = try borders(input, amounts)
    return try Shape.checked(
      zip(input.dimensions, borders).map { $0 + $1.before + $1.after })
  }

  /// The second input holds amounts.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let amounts = amounts ?? inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try shape(inputs[0].shape, amounts))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let amounts: [Int] = self.amounts ?? inputs[1].integers
    let borders = try borders(input.shape, amounts)
    return [
      ReferenceTensor(try shape(input.shape, amounts)) { index in
        let source: [Int] = zip(index, borders).map { $0 - $1.before }
        let isInside: Bool = zip(source, input.shape.dimensions).allSatisfy {
          $0 >= 0 && $0 < $1
        }
        return isInside ? input[source] : Double(value)
      }
    ]
  }
}
