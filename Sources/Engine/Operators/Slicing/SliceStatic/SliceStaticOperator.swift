import Graph

/// Takes a range of each axis: `y = x[begin:end:stride, …]`, as in NumPy.
///
/// - Input: a tensor with as many dimensions as ``slices`` has elements.
/// - Bounds may be open. Negative bounds count from the end. All bounds are clamped to the axis. A negative stride
///   gives descending indices.
/// - A squeezed slice takes one index, and the output lacks the axis. If all axes are squeezed, the output's shape is
///   `[1]`.
///
/// **Source:** `SliceStaticLayerParams`.
public struct SliceStaticOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "SliceStatic", summary: "takes ranges of all axes")

  /// The slice of each axis.
  public let slices: [AxisSlice]

  /// Creates an operator with one slice per axis.
  public init(slices: [AxisSlice]) { self.slices = slices }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try ResolvedSlices(slices, of: inputs[0].shape).shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try ResolvedSlices(slices, of: inputs[0].shape).apply(inputs[0])]
  }
}
