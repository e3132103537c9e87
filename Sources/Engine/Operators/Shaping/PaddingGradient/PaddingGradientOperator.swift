import Graph

/// The gradient of a padding. The gradient of an input pixel is the sum of the gradients of the pixel's copies.
///
/// - Input: `∂y [N, C, H + top + bottom, W + left + right]`.
/// - Output: `∂x [N, C, H, W]`.
/// - Errors: the input does not have the shape of the padding's output.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
public struct PaddingGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "PaddingGradient", summary: "the sums over the copies that a padding made")

  /// The padding whose gradient the operator computes.
  public let padding: PaddingOperator
  /// The shape of the padding's input.
  public let shape: Shape

  /// Creates the gradient of a padding whose input has this shape.
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

  /// Returns the source of each index of the padding's output along an axis: the index of the copied element in the
  /// padding's input. Nil where the padding writes a constant.
  package func sources(of axis: Int) -> [Int?] {
    let extent: Int = shape[axis]
    let amounts: EdgeAmounts = padding.amounts
    let (before, after) =
      axis == -2 ? (amounts.top, amounts.bottom) : (amounts.left, amounts.right)
    return (-before..<extent + after).map { (index: Int) -> Int? in
      switch padding.mode {
      case .constant: return (0..<extent).contains(index) ? index : nil
      case .replication: return min(max(index, 0), extent - 1)
      case .reflection: return padding.reflected(index, extent)
      }
    }
  }
}
