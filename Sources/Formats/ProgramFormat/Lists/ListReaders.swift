import Graph
import Operators

/// Lists of tensors of equal shapes. The graph stores a list as one tensor. Its first axis counts the elements of the
/// list.
enum ListReaders {
  static let all: [OperationReader] = [
    OperationReader("make_list", as: [FillDynamicOperator.self], .exact) { operation in
      let grows: Bool = try operation.bool("dynamic_length", or: true)
      var extents: [Int] = []
      for value in operation.has("elem_shape") ? try operation.values("elem_shape") : [] {
        switch value {
        case .tensor(let tensor):
          guard let constant = tensor.constant else {
            throw operation.unsupported(
              "the shape of the elements is computed, expected constants.")
          }
          extents += try constant.tensor().integers
        // A name stands for an unknown extent. The first element that is written to the list determines this extent.
        case .strings(let names): extents += names.map { _ in 0 }
        case .list, .state: throw operation.invalid("'elem_shape' is not a shape.")
        }
      }
      guard extents.allSatisfy({ $0 >= 0 }) else {
        throw operation.invalid(
          "the elements have the shape \(extents), expected no negative extents.")
      }
      let length: ProgramTensor? = try operation.optionalTensor("init_length")
      let isInteger: Bool = operation.outputs[0]?.element.held.isInteger ?? false
      guard length == nil || length?.constant != nil else {
        let first = operation.add(
          ReshapeStaticOperator(targetShape: [1]), try operation.tensor("init_length").id)
        let shape: Graph.ValueID =
          extents.isEmpty
          ? first : operation.add(ConcatNDOperator(axis: 0), first, operation.constant(extents))
        let made = operation.add(FillDynamicOperator(value: 0), shape)
        let list = isInteger ? operation.add(CastOperator(to: .int32), made) : made
        return [.list(list, grows: grows)]
      }
      let shape = Shape([try operation.int("init_length", or: 1)] + extents)
      guard shape.isMeasurable else {
        throw operation.invalid("a list of \(shape) is too large.")
      }
      let element: ElementType = isInteger ? .int32 : .float32
      guard shape.count <= Shape.computedCount else {
        let made = operation.add(
          FillStaticOperator(value: 0, targetShape: shape.dimensions), [])
        let list = isInteger ? operation.add(CastOperator(to: .int32), made) : made
        return [.list(list, grows: grows)]
      }
      let zeros = ReferenceTensor(shape, repeating: 0, element)
      return [.list(operation.constant(zeros), grows: grows)]
    },
    OperationReader("list_length", as: [GetShapeOperator.self], .exact) { operation in
      let shape = operation.add(GetShapeOperator(), try operation.list("ls").id)
      let first = operation.add(
        SliceStaticOperator(slices: [AxisSlice(begin: 0, end: 1)]), shape)
      let length = operation.add(ReshapeStaticOperator(targetShape: []), first)
      return [.value(operation.add(CastOperator(to: .int32), length))]
    },
    OperationReader("list_read", as: [GatherOperator.self], .exact) { operation in
      let list = try operation.list("ls")
      return [.value(operation.add(GatherOperator(axis: 0), list.id, try operation.listIndex()))]
    },
    OperationReader("list_gather", as: [GatherOperator.self], .exact) { operation in
      let list = try operation.list("ls")
      let indices = try operation.tensor("indices").id
      return [.value(operation.add(GatherOperator(axis: 0), list.id, indices))]
    },
    OperationReader("list_write", as: [ListWriteOperator.self], .exact) { operation in
      try write(operation, try operation.listIndex())
    },
    OperationReader("list_scatter", as: [ListWriteOperator.self], .exact) { operation in
      try write(operation, try operation.tensor("indices").id)
    },
  ]

  private static func write(
    _ operation: ProgramOperation, _ indices: Graph.ValueID
  ) throws -> [ProgramResult] {
    let list = try operation.list("ls")
    let made = operation.add(
      ListWriteOperator(grows: list.grows), list.id, indices, try operation.tensor("value").id)
    return [.list(made, grows: list.grows)]
  }
}

extension ProgramOperation {
  /// Returns the index of one element of the list, as a value of rank 0.
  fileprivate func listIndex() throws -> Graph.ValueID {
    let index = try tensor("index")
    return index.rank == 0 ? index.id : add(ReshapeStaticOperator(targetShape: []), index.id)
  }
}
