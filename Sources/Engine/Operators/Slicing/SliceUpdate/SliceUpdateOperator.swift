import Graph

/// Replaces a slice of a tensor by another tensor: `y = x; y[begin:end:stride, …] = update`.
///
/// - Inputs: the tensor, the update, and then the bounds and masks in the order of ``SliceDynamicOperator``.
/// - Output: the shape of the first input.
/// - Errors: the update does not have the slice's shape.
///
/// **Source:** `slice_update` of ML Programs.
public struct SliceUpdateOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceUpdate", summary: "replaces a slice by another tensor")

  /// The slice to replace. The parameters of ``slice`` replace missing inputs.
  public let slice: SliceDynamicOperator

  /// Creates a replacement of a slice.
  public init(_ slice: SliceDynamicOperator) { self.slice = slice }

  /// Returns the slices to replace. Throws if the shape of the update is not the shape of the slices.
  private func slices(_ input: Shape, _ update: Shape, _ values: [[Int]]) throws -> ResolvedSlices {
    let slices = try ResolvedSlices(try slice.slices(input, values), of: input)
    guard slices.shape == update || slices.shape.count == 1 && update.count == 1 else {
      throw Self.misfit(update, in: slices.shape)
    }
    return slices
  }

  /// Returns the error for an update that does not fit the slice.
  package static func misfit(_ update: Shape, in slice: Shape) -> EngineError {
    EngineError(
      .invalidValue, "the update is \(update), but it must replace \(slice) elements.")
  }

  /// Returns true for the first two inputs, the tensor and the update. The other inputs hold bounds and masks.
  public func moves(input: Int) -> Bool { input < 2 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let known: [[Int]] = inputs.dropFirst(2).compactMap(\.integers)
    if known.count == inputs.count - 2 {
      _ = try slices(inputs[0].shape, inputs[1].shape, known)
    }
    return [inputs[0].type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var output: ReferenceTensor = inputs[0]
    let update: ReferenceTensor = inputs[1]
    let slices = try slices(
      output.shape, update.shape, inputs.dropFirst(2).map(\.integers))
    slices.shape.forEachIndex { index, position in
      output[slices.source(of: index)] = update.values[position]
    }
    return [output]
  }
}
