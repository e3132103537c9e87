import Graph

/// The indices that sort the values along an axis in ascending order.
///
/// - Input: a tensor of rank one or more.
/// - Output: the indices, in the input's shape. Their type is `int32` if the input holds integers, otherwise `float32`.
/// - If ``isDescending`` is set, the order is descending. Equal values keep their order, and NaN counts as greater than
///   every number.
///
/// **Source:** `ArgSortLayerParams` in NeuralNetwork.proto.
public struct ArgSortOperator: IntegerOperator, Hashable {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// Whether the order is descending.
  public var isDescending: Bool

  public static let declaration = OperatorDeclaration(
    "ArgSort", summary: "the indices that sort the values along an axis")

  /// Creates a sort along an axis.
  public init(axis: Int, isDescending: Bool = false) {
    self.axis = axis
    self.isDescending = isDescending
  }

  /// Inputs may hold integers or floating-point numbers.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try inputs[0].shape.resolvedAxes([axis])
    return [TensorType(inputs[0].shape, .indexType(of: inputs[0].type.element))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let values: [Double] = inputs[0].values
    return [
      try sorted(inputs[0].shape) {
        isOrdered(values[$0], before: values[$1], descending: isDescending)
      }
    ]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let integerValues: [Int64] = inputs[0].integerValues
    return [
      try sorted(inputs[0].shape) {
        isOrdered(integerValues[$0], before: integerValues[$1], descending: isDescending)
      }
    ]
  }

  private func sorted(_ shape: Shape, _ isOrdered: (Int, Int) -> Bool) throws -> ReferenceTensor {
    var result = ReferenceTensor(shape)
    AxisVectors(shape, axis: try shape.resolvedAxes([axis])[0]).forEach { vector, _ in
      for (position, index) in zip(vector, vector.sortedIndices(isOrdered)) {
        result.values[position] = Double(index)
      }
    }
    return result
  }
}
