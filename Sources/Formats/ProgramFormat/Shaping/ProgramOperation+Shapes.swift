import Graph
import Operators

extension ProgramOperation {
  /// Returns an operator's value as an output of the operation. Some operators keep one axis of one element where the
  /// program states a scalar. This function removes such an axis.
  package func result(_ value: Graph.ValueID, output: Int = 0) -> ProgramResult {
    guard outputs.indices.contains(output), outputs[output]?.extents?.isEmpty == true else {
      return .value(value)
    }
    return .value(add(ReshapeStaticOperator(targetShape: []), value))
  }

  /// Returns the extents of a tensor as a vector of `int32`.
  package func extents(of tensor: ProgramTensor) -> Graph.ValueID {
    add(CastOperator(to: .int32), add(GetShapeOperator(), tensor.id))
  }

  /// Returns the axis that a constant input states, as a non-negative number.
  package func axis(_ input: String, or standard: Int? = nil, rank: Int) throws -> Int {
    let axis: Int = try standard.map { try int(input, or: $0) } ?? int(input)
    return try resolved(axis, input, rank: rank)
  }

  /// Returns the axes that a constant input states, as non-negative numbers. Nil if the input is omitted.
  package func axes(_ input: String, rank: Int) throws -> [Int]? {
    try optionalInts(input)?.map { try resolved($0, input, rank: rank) }
  }

  private func resolved(_ axis: Int, _ input: String, rank: Int) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(resolved) else {
      throw invalid(
        rank == 0
          ? "'\(input)' is \(axis), but the input is a scalar and has no axes."
          : "'\(input)' is \(axis), expected \(-rank) to \(rank - 1) for \(rank) dimensions.")
    }
    return resolved
  }

  /// Returns an input that the model computes at run time. Nil if the input is omitted or constant.
  package func computed(_ input: String) throws -> ProgramTensor? {
    guard let tensor = try optionalTensor(input), tensor.constant == nil else { return nil }
    return tensor
  }
}
