import Graph

/// Adds axes of extent one.
///
/// - Input: any tensor.
/// - Output: the input's axes in the same order, and the given axes with extent one. ``axes`` are indices into the
///   output's axes; negative ones count from the end.
/// - If ``isOfScalar`` is set, an input of shape `[1]` counts as a tensor without axes. An example is the result of a
///   slice that squeezes every axis.
/// - Errors: an axis is out of range or is given twice.
///
/// **Source:** `ExpandDimsLayerParams`.
public struct ExpandDimsOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ExpandDims", summary: "adds axes of extent one")

  /// The axes to add, as indices into the output's axes.
  public let axes: [Int]
  /// Whether the input is a scalar, which a graph stores as a tensor of shape `[1]`.
  public let isOfScalar: Bool

  /// Creates an operator that adds axes, given as indices into the output's axes.
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
