import Graph
import Operators

/// Operations that reshape a tensor, or return a shape as a tensor.
enum ReshapingReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "reshape", as: [ReshapeStaticOperator.self, ReshapeDynamicOperator.self], .exact
    ) { operation in
      let (x, shape) = (try operation.tensor("x"), try operation.tensor("shape"))
      let fromEnd: Bool = operation.opset >= .iOS17
      if shape.constant != nil {
        let target: [Int] = try operation.ints("shape")
        if !fromEnd, target.contains(0), let rank = x.rank, rank != target.count {
          throw operation.invalid(
            "'shape' has \(target.count) sizes with a 0 among them, but 'x' has \(rank) dimensions."
          )
        }
        return [
          .value(
            operation.add(
              ReshapeStaticOperator(targetShape: target, zerosCountFromEnd: fromEnd), x.id))
        ]
      }
      return [
        .value(
          operation.add(ReshapeDynamicOperator(zerosCountFromEnd: fromEnd), x.id, shape.id))
      ]
    },
    OperationReader(
      "reshape_like", since: .iOS16, as: [ReshapeDynamicOperator.self], .exact
    ) { operation in
      let x = try operation.tensor("x")
      return [.value(operation.add(ReshapeDynamicOperator(), x.id, try referenceShape(operation)))]
    },
    OperationReader("squeeze", as: [SqueezeOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      guard let extents = x.extents else { throw operation.unsupported("'x' has no known rank.") }
      let named: [Int] =
        try operation.axes("axes", rank: extents.count) ?? Array(extents.indices)
      // Removes all named axes, even those of unknown extent, if the declared rank of the output is that much smaller
      // than the rank of the input. Otherwise keeps named axes whose extent is not 1, as PyTorch does.
      let axes: [Int] = Set(named).sorted()
      let goes: Bool = operation.outputs[0]?.extents?.count == extents.count - axes.count
      let removed: [Int] = goes ? axes : axes.filter { extents[$0] == 1 }
      guard !removed.isEmpty else { return [.same(.tensor(x))] }
      return [operation.result(operation.add(SqueezeOperator(axes: removed), x.id))]
    },
    OperationReader("expand_dims", as: [ExpandDimsOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      return [
        .value(operation.add(ExpandDimsOperator(axes: try operation.ints("axes")), x.id))
      ]
    },
    OperationReader("flatten2d", as: [FlattenTo2DOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      return [
        .value(operation.add(FlattenTo2DOperator(axis: try operation.int("axis", or: 1)), x.id))
      ]
    },
    OperationReader("transpose", as: [TransposeOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      let rank: Int = try operation.rank("x")
      let axes: [Int] = try operation.axes("perm", rank: rank) ?? []
      guard axes.sorted() == Array(0..<rank) else {
        throw operation.invalid("'perm' is \(axes), expected each of the \(rank) axes once.")
      }
      return rank == 0
        ? [.same(.tensor(x))] : [.value(operation.add(TransposeOperator(axes: axes), x.id))]
    },
    OperationReader("shape", as: [GetShapeOperator.self], .exact) { operation in
      let shape = operation.add(GetShapeOperator(), try operation.tensor("x").id)
      return [.value(operation.cast(shape, to: operation.outputs[0]))]
    },
  ]

  /// Concatenates parts of the shapes of several tensors to one shape.
  private static func referenceShape(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let references: [ProgramTensor] = try operation.tensors("ref_tensors")
    let begins: [Int] = try operation.constantInts("begins")
    let ends: [Int] = try operation.constantInts("ends")
    let isOpen: [Int] = try operation.constantInts("end_masks")
    let count: Int = references.count
    guard count > 0, begins.count == count, ends.count == count, isOpen.count == count else {
      throw operation.invalid(
        "there are \(count) reference tensors, \(begins.count) begins, \(ends.count) ends and \(isOpen.count) masks, expected equal counts."
      )
    }
    let parts: [Graph.ValueID] = (0..<count).map { index in
      let slice = AxisSlice(begin: begins[index], end: isOpen[index] != 0 ? nil : ends[index])
      return operation.add(
        SliceStaticOperator(slices: [slice]), operation.extents(of: references[index]))
    }
    return count == 1 ? parts[0] : operation.add(ConcatNDOperator(axis: 0), parts)
  }
}

extension ProgramOperation {
  /// Returns the numbers of an input that consists of several constants.
  fileprivate func constantInts(_ input: String) throws -> [Int] {
    try tensors(input).flatMap { tensor in
      guard let constant = tensor.constant else {
        throw unsupported("'\(input)' is computed, expected constants.")
      }
      return try constant.tensor().integers
    }
  }
}
