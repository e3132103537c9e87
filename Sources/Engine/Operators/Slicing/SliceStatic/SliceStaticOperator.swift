import Graph

/// Takes ranges of all axes: `y = x[begin:end:stride, …]`, as NumPy.
///
/// - Input: a tensor of as many dimensions as there are slices.
/// - Bounds may be open, and count from the end where negative; they are moved into the axis. A
///   negative stride runs backwards. A squeezed axis keeps one index and disappears; when all do, one
///   axis of one element stays.
///
/// **Source:** `SliceStaticLayerParams`.
public struct SliceStaticOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "SliceStatic", summary: "takes ranges of all axes")

  /// What is taken of each axis.
  public let slices: [AxisSlice]

  /// Slices of all axes.
  public init(slices: [AxisSlice]) { self.slices = slices }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try ResolvedSlices(slices, of: inputs[0].shape).shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try ResolvedSlices(slices, of: inputs[0].shape).apply(inputs[0])]
  }
}
