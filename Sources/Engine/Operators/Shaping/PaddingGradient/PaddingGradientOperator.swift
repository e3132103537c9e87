import Graph

/// The gradient of a padding: every pixel gets the sum of its copies.
///
/// - Input: `∂y [N, C, H + top + bottom, W + left + right]`.
/// - Output: `∂x [N, C, H, W]`.
/// - Errors: a gradient of another shape than the padding's output.
///
/// Made by differentiation only; no model holds it.
public struct PaddingGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "PaddingGradient", summary: "the sums of the copies that a padding made")

  /// The padding.
  public let padding: PaddingOperator
  /// The shape of what was padded.
  public let shape: Shape

  /// The gradient of a padding of a shape.
  public init(_ padding: PaddingOperator, of shape: Shape) {
    self.padding = padding
    self.shape = shape
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let padded: Shape =
      try padding.outputTypes(for: [OperatorInput(TensorType(shape))])?[0].shape ?? []
    guard inputs.count == 1, inputs[0].shape == padded else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs.first?.shape ?? []), expected \(padded), the padding of \(shape)."
      )
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = ReferenceTensor(shape)
    let (rows, columns) = (sources(of: -2), sources(of: -1))
    inputs[0].shape.forEachIndex { index, position in
      var target = index
      guard let row = rows[index[index.count - 2]], let column = columns[index[index.count - 1]]
      else { return }
      target[index.count - 2] = row
      target[index.count - 1] = column
      result[target] += inputs[0].values[position]
    }
    return [result]
  }

  /// The place that each place of the padded axis is a copy of; nil where it holds a constant.
  package func sources(of axis: Int) -> [Int?] {
    let extent: Int = shape[axis]
    let amounts: EdgeAmounts = padding.amounts
    let (before, after) =
      axis == -2 ? (amounts.top, amounts.bottom) : (amounts.left, amounts.right)
    return (-before..<extent + after).map { (place: Int) -> Int? in
      switch padding.mode {
      case .constant: return (0..<extent).contains(place) ? place : nil
      case .replication: return min(max(place, 0), extent - 1)
      case .reflection: return padding.reflected(place, extent)
      }
    }
  }
}
