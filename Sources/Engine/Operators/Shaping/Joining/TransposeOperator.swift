import Graph

/// Reorders the axes: output axis *i* is the input's axis `axes[i]`, like `numpy.transpose`.
///
/// - Input: a tensor with as many dimensions as ``axes`` has elements. The tensor may have additional leading
///   dimensions of extent 1, which stay first. This case exists because coremltools states only three axes for an image
///   `[1, C, H, W]`.
///
/// **Source:** `TransposeLayerParams`.
public struct TransposeOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Transpose", summary: "reorders the axes")

  /// For each output axis, the input axis that moves there.
  public let axes: [Int]

  /// Creates a permutation of the axes.
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

  /// Returns the permutation of all axes of an input of shape `input`, including additional leading axes. Nil if the
  /// permutation does not match the input's rank.
  package func axes(of input: Shape) -> [Int]? {
    let extra: Int = input.rank - axes.count
    if extra == 0 { return axes }
    guard extra > 0, input.dimensions.prefix(extra).allSatisfy({ $0 == 1 }) else { return nil }
    return Array(0..<extra) + axes.map { $0 + extra }
  }
}
