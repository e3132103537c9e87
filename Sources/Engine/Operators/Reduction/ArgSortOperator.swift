import Graph

/// The order that sorts the values along an axis: the index of the smallest first.
///
/// - Input: any rank from one. Output: the same shape, of indices: `float32`, or
///   int32 where the input holds whole numbers.
/// - Options: `descending` puts the largest first. Equal values keep their order, and not-a-number
///   counts as greater than every number.
///
/// **Source:** `ArgSortLayerParams` in NeuralNetwork.proto.
public struct ArgSortOperator: WholeNumberOperator, Hashable {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// Whether the largest comes first.
  public var isDescending: Bool

  public static let declaration = OperatorDeclaration(
    "ArgSort", summary: "the order that sorts values along an axis")

  /// An order along an axis.
  public init(axis: Int, isDescending: Bool = false) {
    self.axis = axis
    self.isDescending = isDescending
  }

  /// Whole numbers too.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try inputs[0].shape.resolvedAxes([axis])
    return [TensorType(inputs[0].shape, .places(of: inputs[0].type.element))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let values: [Double] = inputs[0].values
    return [
      try sorted(inputs[0].shape) {
        isOrdered(values[$0], before: values[$1], descending: isDescending)
      }
    ]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let wholes: [Int64] = inputs[0].wholes
    return [
      try sorted(inputs[0].shape) {
        isOrdered(wholes[$0], before: wholes[$1], descending: isDescending)
      }
    ]
  }

  private func sorted(_ shape: Shape, _ isOrdered: (Int, Int) -> Bool) throws -> ReferenceTensor {
    var result = ReferenceTensor(shape)
    AxisLines(shape, axis: try shape.resolvedAxes([axis])[0]).forEach { line, _ in
      for (position, place) in zip(line, line.places(isOrdered)) {
        result.values[position] = Double(place)
      }
    }
    return result
  }
}
