import Graph
import Operators

extension ProgramOperation {
  /// What an operator has made, as an output: where the program writes a scalar, the one axis of one element
  /// that some operators keep goes.
  package func result(_ value: Graph.ValueID, output: Int = 0) -> ProgramResult {
    guard outputs.indices.contains(output), outputs[output]?.extents?.isEmpty == true else {
      return .value(value)
    }
    return .value(add(ReshapeStaticOperator(targetShape: []), value))
  }

  /// The extents of a tensor as a vector of `int32`.
  package func extents(of tensor: ProgramTensor) -> Graph.ValueID {
    add(CastOperator(to: .int32), add(GetShapeOperator(), tensor.id))
  }

  /// An axis that the program states, counted from the first.
  package func axis(_ input: String, or standard: Int? = nil, rank: Int) throws -> Int {
    let axis: Int = try standard.map { try int(input, or: $0) } ?? int(input)
    return try place(axis, input, rank: rank)
  }

  /// Axes that the program states, counted from the first.
  package func axes(_ input: String, rank: Int) throws -> [Int]? {
    try optionalInts(input)?.map { try place($0, input, rank: rank) }
  }

  private func place(_ axis: Int, _ input: String, rank: Int) throws -> Int {
    let place: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(place) else {
      throw invalid(
        rank == 0
          ? "'\(input)' is \(axis), but the input is a scalar and has no axes."
          : "'\(input)' is \(axis), expected \(-rank) to \(rank - 1) for \(rank) dimensions.")
    }
    return place
  }

  /// A value of the graph that an input gives, if it is given and not stated by the program.
  package func computed(_ input: String) throws -> ProgramTensor? {
    guard let tensor = try optionalTensor(input), tensor.constant == nil else { return nil }
    return tensor
  }
}
