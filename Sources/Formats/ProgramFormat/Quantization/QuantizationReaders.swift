import Graph
import Operators

/// Quantisation to 8-bit integers with a scale and a zero point, and dequantisation of such integers.
enum QuantizationReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "quantize", since: .iOS17, as: [BinaryFunctionOperator.self, ClipOperator.self], .exact
    ) { operation in
      let input = try operation.tensor("input")
      guard let range = operation.outputs[0]?.element.integerRange else {
        throw operation.invalid("the output is not an integer tensor.")
      }
      let scale = try parameter("scale", operation, input)
      var value = operation.add(
        BinaryFunctionOperator(.divide), input.id, try operation.required(scale, "scale"))
      value = operation.add(UnaryFunctionOperator(.round), value)
      if let zero = try parameter("zero_point", operation, input) {
        value = operation.add(BinaryFunctionOperator(.add), value, zero)
      }
      return [
        .value(
          operation.add(
            ClipOperator(minimum: Float(range.lowerBound), maximum: Float(range.upperBound)), value)
        )
      ]
    },
    OperationReader("dequantize", since: .iOS17, as: [BinaryFunctionOperator.self]) { operation in
      let input = try operation.tensor("input")
      var value: Graph.ValueID = input.id
      if let zero = try parameter("zero_point", operation, input) {
        value = operation.add(BinaryFunctionOperator(.subtract), value, zero)
      }
      let scale = try operation.required(
        try parameter("scale", operation, input), "scale")
      return [.value(operation.add(BinaryFunctionOperator(.multiply), value, scale))]
    },
  ]

  /// Returns a parameter in a shape that broadcasts. The parameter holds one number for all elements, or one number per
  /// index of an axis.
  private static func parameter(
    _ name: String, _ operation: ProgramOperation, _ input: ProgramTensor
  ) throws -> Graph.ValueID? {
    guard let tensor = try operation.optionalTensor(name) else { return nil }
    guard let rank = tensor.rank, rank <= 1 else {
      throw operation.invalid("'\(name)' is neither a scalar nor a vector.")
    }
    guard rank == 1, let axes = input.rank else { return tensor.id }
    guard operation.has("axis") else {
      throw operation.invalid("'\(name)' is a vector, but 'axis' is missing.")
    }
    let axis: Int = try operation.axis("axis", rank: axes)
    if let count = tensor.extents?[0], let extent = input.extents?[axis], count != extent {
      throw operation.invalid(
        "'\(name)' holds \(count) numbers, expected \(extent), one per index of axis \(axis).")
    }
    var shape = [Int](repeating: 1, count: axes)
    shape[axis] = -1
    return operation.add(ReshapeStaticOperator(targetShape: shape), tensor.id)
  }
}

extension ProgramOperation {
  /// Returns the value of an input. Throws if the value is nil.
  fileprivate func required(_ value: Graph.ValueID?, _ input: String) throws -> Graph.ValueID {
    guard let value else { throw invalid("the input '\(input)' is missing.") }
    return value
  }
}
