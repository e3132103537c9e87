import Graph
import Operators

/// Real numbers as whole numbers of 8 bits by a scale and a zero point, and back.
enum QuantizationReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "quantize", since: .iOS17, as: [BinaryFunctionOperator.self, ClipOperator.self], .exact
    ) { operation in
      let input = try operation.tensor("input")
      guard let range = operation.outputs[0]?.element.integerRange else {
        throw operation.invalid("the output holds no whole numbers.")
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

  /// A number for all elements, or one for each place of an axis; shaped so that it broadcasts.
  private static func parameter(
    _ name: String, _ operation: ProgramOperation, _ input: ProgramTensor
  ) throws -> Graph.ValueID? {
    guard let tensor = try operation.optionalTensor(name) else { return nil }
    guard let rank = tensor.rank, rank <= 1 else {
      throw operation.invalid("'\(name)' is no scalar and no vector.")
    }
    guard rank == 1, let axes = input.rank else { return tensor.id }
    guard operation.has("axis") else {
      throw operation.invalid("'\(name)' is a vector, but no 'axis' is given.")
    }
    let axis: Int = try operation.axis("axis", rank: axes)
    if let count = tensor.extents?[0], let extent = input.extents?[axis], count != extent {
      throw operation.invalid(
        "'\(name)' holds \(count) numbers, expected \(extent), one for each place of axis \(axis).")
    }
    var shape = [Int](repeating: 1, count: axes)
    shape[axis] = -1
    return operation.add(ReshapeStaticOperator(targetShape: shape), tensor.id)
  }
}

extension ProgramOperation {
  /// A value that must be given.
  fileprivate func required(_ value: Graph.ValueID?, _ input: String) throws -> Graph.ValueID {
    guard let value else { throw invalid("the input '\(input)' is missing.") }
    return value
  }
}
