import Graph

/// Adds elements before and after any axes, mirrored at the edge or repeating it.
///
/// - Inputs: any tensor, and optionally the amounts as a vector; without it, the parameter. Amounts are
///   `[before, after]` for each axis, first axis first.
/// - Edge: a reflection wider than the tensor goes to and fro, as ``PaddingOperator``'s does.
/// - Errors: negative amounts; an axis without elements that shall be repeated.
///
/// **Source:** `pad` of coremltools' iOS 15 operations; NumPy's `pad`.
public struct PadAxesOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "PadAxes", summary: "adds elements around any axes, mirrored or repeating the edge")

  /// Whether the edge is repeated instead of mirrored.
  public let repeatsEdge: Bool
  /// `[before, after]` for each axis; nil when the second input says.
  public let amounts: [Int]?

  /// A padding; nil amounts where the second input holds them.
  public init(repeatsEdge: Bool, amounts: [Int]?) {
    self.repeatsEdge = repeatsEdge
    self.amounts = amounts
  }

  /// The second input holds amounts.
  public func moves(input: Int) -> Bool { input == 0 }

  private func shape(_ input: Shape, _ amounts: [Int]) throws -> Shape {
    try input.requireAmounts(amounts)
    let dimensions: [Int] = (0..<input.rank).map { axis in
      input[axis] + amounts[2 * axis] + amounts[2 * axis + 1]
    }
    if let axis = dimensions.indices.first(where: { input[$0] == 0 && dimensions[$0] > 0 }) {
      throw EngineError(
        .invalidInput, "axis \(axis) of the input (\(input)) has no elements to repeat.")
    }
    return try Shape.checked(dimensions, limit: Shape.boundlessCount)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let amounts = amounts ?? inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try shape(inputs[0].shape, amounts))]
  }

  /// The input's index for every index of the output along an axis.
  package func places(extent: Int, before: Int, after: Int) -> [Int] {
    (-before..<extent + after).map { place($0, extent: extent) }
  }

  /// The input's index for a position, counted from the input's first element.
  private func place(_ position: Int, extent: Int) -> Int {
    if repeatsEdge { return min(max(position, 0), extent - 1) }
    guard extent > 1 else { return 0 }
    let period: Int = 2 * (extent - 1)
    let place: Int = (position % period + period) % period
    return min(place, period - place)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let amounts: [Int] = self.amounts ?? inputs[1].integers
    let output: Shape = try shape(input.shape, amounts)
    return [
      ReferenceTensor(output) { index in
        input[
          index.enumerated().map { axis, position in
            place(position - amounts[2 * axis], extent: input.shape[axis])
          }]
      }
    ]
  }
}
