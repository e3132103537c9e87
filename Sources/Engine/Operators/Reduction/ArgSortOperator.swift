import Graph

/// The order that sorts the values along an axis: the index of the smallest first.
///
/// - Input: any rank from one. Output: the same shape, of indices.
/// - Options: `descending` puts the largest first. Equal values keep their order, and not-a-number
///   counts as greater than every number.
///
/// **Source:** `ArgSortLayerParams` in NeuralNetwork.proto.
public struct ArgSortOperator: Operator {
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
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    var result = input
    let resolved = try input.shape.resolvedAxes([axis])[0]
    let extent = input.shape[resolved]
    let inner: Int = input.shape.dimensions[(resolved + 1)...].reduce(1, *)
    let outer: Int = input.shape.dimensions[..<resolved].reduce(1, *)
    for plane in 0..<outer {
      for column in 0..<inner {
        func position(_ index: Int) -> Int { (plane * extent + index) * inner + column }
        let order: [Int] = (0..<extent).sorted { first, second in
          let (left, right) = (input.values[position(first)], input.values[position(second)])
          if isOrdered(left, before: right, descending: isDescending) { return true }
          return first < second && !isOrdered(right, before: left, descending: isDescending)
        }
        for (rank, index) in order.enumerated() { result.values[position(rank)] = Double(index) }
      }
    }
    return [result]
  }

}
