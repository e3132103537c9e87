import Graph

/// Reorders the axes: output axis *i* is the input's `axes[i]`, as `numpy.transpose`.
///
/// - Input: a tensor of as many dimensions as axes are named; further ones of length 1 in front
///   stay there, as coremltools names three axes for a picture `[1, C, H, W]`.
///
/// **Source:** `TransposeLayerParams`.
public struct TransposeOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Transpose", summary: "reorders the axes")

  /// The input's axis that becomes each output axis.
  public let axes: [Int]

  /// A permutation of the axes.
  public init(axes: [Int]) { self.axes = axes }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    guard let axes = axes(of: input) else {
      throw EngineError(
        .invalidInput,
        "axes names \(self.axes.count) axes, but the input has \(input.rank) dimensions (\(input))."
      )
    }
    return [inputs[0].type.reshaped(to: Shape(axes.map { input[$0] }))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axes: [Int] = axes(of: input.shape) ?? self.axes
    return [
      ReferenceTensor(Shape(axes.map { input.shape[$0] })) { index in
        var source = index
        for (axis, origin) in axes.enumerated() { source[origin] = index[axis] }
        return input[source]
      }
    ]
  }

  /// The permutation for an input's own rank; nil where it does not fit.
  package func axes(of input: Shape) -> [Int]? {
    let extra: Int = input.rank - axes.count
    if extra == 0 { return axes }
    guard extra > 0, input.dimensions.prefix(extra).allSatisfy({ $0 == 1 }) else { return nil }
    return Array(0..<extra) + axes.map { $0 + extra }
  }
}
