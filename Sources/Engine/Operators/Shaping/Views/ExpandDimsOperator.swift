import Graph

/// Adds axes of extent one.
///
/// - Input: any tensor.
/// - Output: the axes named, counted in the output (negative from its end), are one; the input's
///   follow in order between them. A scalar, as a slice makes it that squeezes every axis, has none.
/// - Errors: an axis out of range or named twice.
///
/// **Source:** `ExpandDimsLayerParams`.
public struct ExpandDimsOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ExpandDims", summary: "adds axes of extent one")

  /// The output's axes that are added.
  public let axes: [Int]
  /// Whether the input has no dimensions, though it is kept as one axis of one element.
  public let isOfScalar: Bool

  /// Axes to add, counted in the output.
  public init(axes: [Int], isOfScalar: Bool = false) {
    self.axes = axes
    self.isOfScalar = isOfScalar
  }

  private func shape(_ input: Shape) throws -> Shape {
    let input: Shape = isOfScalar && input == [1] ? [] : input
    let rank: Int = input.rank + axes.count
    var added: Set<Int> = []
    for axis in axes {
      let index: Int = axis < 0 ? axis + rank : axis
      guard (0..<rank).contains(index), added.insert(index).inserted else {
        throw EngineError(
          .invalidInput,
          "axes is \(axes), expected different axes of an output of \(rank) dimensions.")
      }
    }
    var rest: ArraySlice<Int> = input.dimensions[...]
    return Shape((0..<rank).map { added.contains($0) ? 1 : rest.removeFirst() })
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape))]
  }
}
