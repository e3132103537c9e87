import Graph

/// Adds elements of one value before and after the elements of every axis.
///
/// - Inputs: any tensor. If ``amounts`` is nil, a second input holds the amounts as a vector. The amounts are
///   `[before, after]` for each axis, beginning with the first axis.
/// - If ``padsToSize`` is set, an amount other than 0 is the final size of its axis. If `before` is not 0, all padding
///   is before the elements, otherwise after them. If both amounts are 0, the axis is not padded.
///
/// **Source:** `ConstantPaddingLayerParams`.
public struct ConstantPadOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ConstantPad", summary: "adds elements of one value around every axis")

  /// The value of the added elements.
  public let value: Float
  /// `[before, after]` for each axis, in elements; nil if the second input holds the amounts.
  public let amounts: [Int]?
  /// Whether amounts are the final sizes of their axes instead of numbers of added elements.
  public let padsToSize: Bool

  /// Creates a padding. `amounts` is nil if the second input holds the amounts.
  public init(value: Float, amounts: [Int]?, padsToSize: Bool = false) {
    self.value = value
    self.amounts = amounts
    self.padsToSize = padsToSize
  }

  /// Returns how many elements the operator adds before and after each axis of an input.
  package func paddings(_ input: Shape, _ amounts: [Int]) throws -> [(before: Int, after: Int)] {
    try input.requireAmounts(amounts)
    return try (0..<input.rank).map { axis in
      let (before, after) = (amounts[2 * axis], amounts[2 * axis + 1])
      guard padsToSize else { return (before, after) }
      let size: Int = max(before, after)
      guard size == 0 || size >= input[axis] else {
        throw EngineError(
          .invalidInput,
          "axis \(axis) of the input (\(input)) must be padded to \(size), but has \(input[axis]) already."
        )
      }
      let missing: Int = size == 0 ? 0 : size - input[axis]
      return before > 0 ? (missing, 0) : (0, missing)
    }
  }

  private func shape(_ input: Shape, _ amounts: [Int]) throws -> Shape {
    let paddings = try paddings(input, amounts)
    return try Shape.checked(
      zip(input.dimensions, paddings).map { $0 + $1.before + $1.after })
  }

  /// Returns true only for the first input. The second input holds the amounts.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let amounts = amounts ?? inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try shape(inputs[0].shape, amounts))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let amounts: [Int] = self.amounts ?? inputs[1].integers
    let paddings = try paddings(input.shape, amounts)
    return [
      ReferenceTensor(try shape(input.shape, amounts)) { index in
        let source: [Int] = zip(index, paddings).map { $0 - $1.before }
        let isInside: Bool = zip(source, input.shape.dimensions).allSatisfy {
          $0 >= 0 && $0 < $1
        }
        return isInside ? input[source] : Double(value)
      }
    ]
  }
}
