import Backends
import Graph
import ModelFormat

/// Joins tensors of one shape along a new axis, as `numpy.stack`.
///
/// - Inputs: one or more of one shape.
/// - Output: one rank more; the axis, counted in the output (negative from its end), is the number of
///   inputs.
///
/// **Source:** `StackLayerParams`.
public struct StackOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "Stack", specification: "stack", summary: "joins tensors along a new axis")

  /// The new axis, counted in the output.
  public let axis: Int

  /// A joining along a new axis.
  public init(axis: Int) { self.axis = axis }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .stack(let message)? = decoder.message.layer else { throw decoder.notA("stack") }
    try decoder.requireInputs(1...Int.max)
    self.init(axis: try decoder.integer(message.axis, "axis"))
  }

  private func place(_ input: Shape) throws -> Int {
    try Shape([Int](repeating: 1, count: input.rank + 1)).axis(axis)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let first: Shape = inputs[0].shape
    if let other = inputs.first(where: { $0.shape != first }) {
      throw EngineError(
        .invalidInput,
        "stacked inputs must have one shape, but there are \(first) and \(other.shape).")
    }
    var dimensions: [Int] = first.dimensions
    dimensions.insert(inputs.count, at: try place(first))
    return [inputs[0].type.reshaped(to: try Shape.checked(dimensions))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let axis: Int = try place(inputs[0].shape)
    var shape: [Int] = inputs[0].shape.dimensions
    shape.insert(inputs.count, at: axis)
    return [
      ReferenceTensor(Shape(shape)) { index in
        var source = index
        return inputs[source.remove(at: axis)][source]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [
      .moves("native stack") { inputs, outputs in
        let axis: Int = try place(inputs[0])
        return inputs.enumerated().map { position, shape -> Move in
          let dimensions: [Move.Dimension] = shape.dimensions.indices.map { source in
            Move.Dimension(
              extent: shape[source], sourceAxis: source,
              targetAxis: source < axis ? source : source + 1)
          }
          var move = Move(
            input: position, sourceRank: shape.rank, targetRank: shape.rank + 1,
            dimensions: dimensions)
          move.targetStart[axis] = position
          return move
        }
      }
    ]
  }
}
