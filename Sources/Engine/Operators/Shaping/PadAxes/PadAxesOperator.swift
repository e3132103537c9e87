import Graph

/// Pads any axes. The padding reflects the tensor at its edges or repeats the edge elements.
///
/// - Inputs: any tensor. If ``amounts`` is nil, a second input holds the amounts as a vector. The amounts are
///   `[before, after]` for each axis, beginning with the first axis.
/// - A reflection longer than the axis alternates its direction, as in ``PaddingOperator``.
/// - Errors: negative amounts; padding of an axis without elements.
///
/// **Source:** `pad` of coremltools' iOS 15 operations; NumPy's `pad`.
public struct PadAxesOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "PadAxes", summary: "pads any axes by reflecting or repeating the edge")

  /// Whether the padding repeats the edge elements; otherwise it reflects the tensor.
  public let repeatsEdge: Bool
  /// `[before, after]` for each axis, in elements; nil if the second input holds the amounts.
  public let amounts: [Int]?

  /// Creates a padding. `amounts` is nil if the second input holds the amounts.
  public init(repeatsEdge: Bool, amounts: [Int]?) {
    self.repeatsEdge = repeatsEdge
    self.amounts = amounts
  }

  /// Returns true only for the first input. The second input holds the amounts.
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

  /// Returns, for each index of the output along an axis, the index in the input from which the element is copied.
  package func sourceIndices(extent: Int, before: Int, after: Int) -> [Int] {
    (-before..<extent + after).map { sourceIndex($0, extent: extent) }
  }

  /// Returns the index in the input from which the element at a position of the output is copied. Position 0 is the
  /// input's first element. Negative positions are in the padding before the first element.
  private func sourceIndex(_ position: Int, extent: Int) -> Int {
    if repeatsEdge { return min(max(position, 0), extent - 1) }
    guard extent > 1 else { return 0 }
    let period: Int = 2 * (extent - 1)
    let phase: Int = (position % period + period) % period
    return min(phase, period - phase)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let amounts: [Int] = self.amounts ?? inputs[1].integers
    let output: Shape = try shape(input.shape, amounts)
    return [
      ReferenceTensor(output) { index in
        input[
          index.enumerated().map { axis, position in
            sourceIndex(position - amounts[2 * axis], extent: input.shape[axis])
          }]
      }
    ]
  }
}
