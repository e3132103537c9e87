import Backends
import Graph
import Operators

extension KernelCandidate {
  /// Takes rows of a matrix that stays as the model keeps it, as the table of an embedding; only the rows that
  /// are taken are widened.
  static func storedGather(axis: Int) -> KernelCandidate {
    KernelCandidate("native gather from a stored matrix", elements: [.float32, .int32]) { request in
      guard let table = request.constant(0), table.shape.rank == 2, axis == 0 || axis == -2,
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
          let row: Int = try place(named, of: stored.columns, axis: 0)
          stored.widen(row: row, into: target + index * stored.inner)
        }
      }
      return Kernel(
        step, inputs: [nil, form], outputs: [TensorDescriptor(request.outputs[0].shape)],
        weights: stored.weights)
    }
  }
}
