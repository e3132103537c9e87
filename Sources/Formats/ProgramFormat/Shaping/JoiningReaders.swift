import Graph
import Operators

/// Operations that concatenate, stack, split or tile tensors.
enum JoiningReaders {
  static let all: [OperationReader] = [
    OperationReader("concat", as: [ConcatNDOperator.self, StackOperator.self], .exact) {
      operation in
      let values: [ProgramTensor] = try operation.tensors("values")
      guard let first = values.first else { throw operation.invalid("'values' is empty.") }
      let axis: Int = try operation.int("axis")
      let ids: [Graph.ValueID] = values.map(\.id)
      if let other = values.first(where: { $0.element.held != first.element.held }) {
        throw operation.invalid(
          "'values' holds \(first.element) and \(other.element), expected one type.")
      }
      // Scalars are stacked to a vector.
      if first.rank == 0 { return [.value(operation.add(StackOperator(axis: 0), ids))] }
      return [
        .value(
          operation.add(
            ConcatNDOperator(
              axis: axis, isInterleaved: try operation.bool("interleave", or: false)),
            ids))
      ]
    },
    OperationReader("stack", as: [StackOperator.self], .exact) { operation in
      let values: [ProgramTensor] = try operation.tensors("values")
      guard !values.isEmpty else { throw operation.invalid("'values' is empty.") }
      return [
        .value(operation.add(StackOperator(axis: try operation.int("axis")), values.map(\.id)))
      ]
    },
    OperationReader("split", as: [SplitNDOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      let axis: Int = try operation.axis("axis", rank: try operation.rank("x"))
      let parts: SplitNDOperator.Parts = try parts(operation, of: x, axis: axis)
      return operation.add(
        SplitNDOperator(axis: axis, parts: parts), [x.id], outputs: operation.outputs.count
      ).map { .value($0) }
    },
    OperationReader("tile", as: [TileOperator.self], .exact) { operation in
      let (x, counts) = (try operation.tensor("x"), try operation.tensor("reps"))
      guard counts.constant != nil else {
        return [.value(operation.add(TileOperator(repetitions: nil), x.id, counts.id))]
      }
      let repetitions: [Int] = try operation.ints("reps")
      if let bad = repetitions.first(where: { $0 < 1 }) {
        throw operation.invalid("'reps' holds \(bad), expected numbers above 0.")
      }
      return [.value(operation.add(TileOperator(repetitions: repetitions), x.id))]
    },
  ]

  /// Returns how the operation splits an axis: into parts of stated sizes, or evenly.
  private static func parts(_ operation: ProgramOperation, of x: ProgramTensor, axis: Int) throws
    -> SplitNDOperator.Parts
  {
    let made: Int = operation.outputs.count
    let count: Int? = operation.has("num_splits") ? try operation.int("num_splits") : nil
    if let sizes = try operation.optionalInts("split_sizes") {
      guard sizes.count == made, count ?? made == made, !sizes.contains(where: { $0 < 0 }) else {
        throw operation.invalid(
          "'split_sizes' is \(sizes), but the program names \(made) outputs.")
      }
      return .sizes(sizes)
    }
    guard let count else {
      throw operation.invalid("'num_splits' and 'split_sizes' are both missing.")
    }
    guard count == made, count > 0 else {
      throw operation.invalid(
        "'num_splits' is \(count), but the program names \(made) outputs.")
    }
    if let extent = x.extents?[axis], extent % count != 0 {
      throw operation.invalid(
        "axis \(axis) has \(extent) elements, which do not divide into \(count) equal parts.")
    }
    return .count(count)
  }
}
