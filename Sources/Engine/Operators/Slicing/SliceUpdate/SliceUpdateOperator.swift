import Graph

/// Puts a tensor into the place of a slice of another: `y = x; y[begin:end:stride, …] = update`.
///
/// - Inputs: the tensor, the update, and the bounds as ``SliceDynamicOperator`` takes them after its first
///   input.
/// - Output: the shape of the first input, whatever the bounds.
/// - Errors: an update whose shape is not that of the slice.
///
/// **Source:** `slice_update` of ML Programs.
public struct SliceUpdateOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceUpdate", summary: "puts a tensor into the place of a slice")

  /// What is replaced, for what the inputs do not give.
  public let slice: SliceDynamicOperator

  /// A replacement of a slice.
  public init(_ slice: SliceDynamicOperator) { self.slice = slice }

  /// What is replaced; throws where the update does not fit.
  private func slices(_ input: Shape, _ update: Shape, _ values: [[Int]]) throws -> ResolvedSlices {
    let slices = try ResolvedSlices(try slice.slices(input, values), of: input)
    guard slices.shape == update || slices.shape.count == 1 && update.count == 1 else {
      throw Self.misfit(update, in: slices.shape)
    }
    return slices
  }

  /// The error for an update that does not fit the slice.
  package static func misfit(_ update: Shape, in slice: Shape) -> EngineError {
    EngineError(
      .invalidValue, "the update is \(update), but it shall replace \(slice) elements.")
  }

  /// The inputs after the update hold bounds.
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
