import Backends
import Graph
import Operators

extension KernelCandidate {
  /// Takes rows of a matrix that stays as the model keeps it, as the table of an embedding; only the rows that
  /// are taken are widened.
  static func storedGather(_ gather: GatherOperator) -> KernelCandidate {
    KernelCandidate("native gather from a stored matrix", elements: [.float32, .int32]) { request in
      guard gather.batchAxes == 0, gather.axis == 0 || gather.axis == -2,
        let table = request.constant(0), table.shape.rank == 2,
        table.type.element == .float32, let stored = StoredMatrix(table, in: request.weights)
      else { return nil }
      let indices = request.inputs[1]
      let form = TensorDescriptor(
        indices.shape, indices.storage == .int32 ? .int32 : .float32)
      let count: Int = indices.shape.count
      let step = ClosureStep { memory in
        // Safe: the planner gives dense memory of the promised shapes and types.
        let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
        for index in 0..<count {
          let named: Double =
            form.storage == .int32
            ? Double(memory.inputs[1].assumingMemoryBound(to: Int32.self)[index])
            : Double(memory.inputs[1].assumingMemoryBound(to: Float.self)[index])
          let place: UnsafeMutablePointer<Float> = target + index * stored.inner
          if let row = try gather.rule.place(named, of: stored.columns, axis: 0) {
            stored.widen(row: row, into: place)
          } else {
            place.update(repeating: 0, count: stored.inner)
          }
        }
      }
      return Kernel(
        step, inputs: [nil, form], outputs: [TensorDescriptor(request.outputs[0].shape)],
        weights: stored.weights)
    }
  }
}
