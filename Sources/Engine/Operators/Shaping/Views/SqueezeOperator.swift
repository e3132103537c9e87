import Graph

/// Removes axes of extent one.
///
/// - Input: any tensor. The axes to remove must have extent one; negative axes count from the end.
/// - Output: the tensor without these axes. If no axis is left, the shape is `[1]`.
/// - Default: if ``axes`` is nil, every axis of extent one is removed.
///
/// **Source:** `SqueezeLayerParams`.
public struct SqueezeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Squeeze", summary: "removes axes of extent one")

  /// The axes to remove; nil for all axes of extent one.
  public let axes: [Int]?

  /// Creates an operator that removes these axes; nil for all axes of extent one.
  public init(axes: [Int]?) { self.axes = axes }

  private func shape(_ input: Shape) throws -> Shape {
    var removed: Set<Int> = []
    if let axes {
      for axis in axes {
        let index: Int = try input.axis(axis, "axes")
        guard input[index] == 1 else {
          throw EngineError(
            .invalidInput,
            "axis \(axis) of the input (\(input)) has the extent \(input[index]), only 1 can be removed."
          )
        }
        removed.insert(index)
      }
    } else {
      removed = Set(input.dimensions.indices.filter { input[$0] == 1 })
    }
    let rest: [Int] = input.dimensions.indices.filter { !removed.contains($0) }.map { input[$0] }
    return rest.isEmpty ? [1] : Shape(rest)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape))]
  }
}
