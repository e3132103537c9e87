import Graph
import Operators

/// Adds operators that compute with extents that are known only at run time. Extents and positions are `int32` vectors.
extension ONNXNode {
  /// Concatenates vectors.
  func joined(_ vectors: [Graph.ValueID]) throws -> Graph.ValueID {
    vectors.count == 1 ? vectors[0] : try add(ConcatNDOperator(axis: 0), vectors)
  }

  /// Returns one element of a vector, as a vector of one element.
  func element(_ index: Int, of vector: Graph.ValueID) throws -> Graph.ValueID {
    try sliced(vector, axis: 0, rank: 1, from: index, to: index + 1)
  }

  /// Returns the positions 0, `step`, 2 · `step` … that are below `end`. `end` is an integer that is computed at run
  /// time.
  func positions(below end: Graph.ValueID, by step: Int = 1) throws -> Graph.ValueID {
    let made = try add(RangeDynamicOperator(start: 0, step: Float(step)), end)
    if builder.extents(of: made) == nil { builder.state([Extent(from: 0)], .int32, of: made) }
    return made
  }

  /// Reshapes a vector so that it broadcasts along an axis of a tensor. `rank` is the rank of that tensor.
  func along(_ axis: Int, rank: Int, _ vector: Graph.ValueID) throws -> Graph.ValueID {
    try stretched(vector, Array(1..<max(1, rank - axis)))
  }

  /// Returns the error for an axis of unknown extent, if this extent decides which operators the graph contains.
  func unknownExtent(ofAxis axis: Int, of description: String) -> EngineError {
    unsupported(
      "the size of axis \(axis) of \(description) must be known when the file is read; state the shape of the model's input (`--shape NAME=…`)."
    )
  }
}
