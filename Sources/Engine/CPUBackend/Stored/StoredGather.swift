import Backends
import Graph
import Operators

extension KernelCandidate {
  /// Gathers rows of a matrix in the model's stored form, such as the table of an embedding. Only the gathered rows are
  /// decoded.
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
        // Safe: the planner supplies dense memory of the planned shapes and types.
        let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
        for index in 0..<count {
          let named: Double =
            form.storage == .int32
            ? Double(memory.inputs[1].assumingMemoryBound(to: Int32.self)[index])
            : Double(memory.inputs[1].assumingMemoryBound(to: Float.self)[index])
          let row: UnsafeMutablePointer<Float> = target + index * stored.inner
          if let rowIndex = try gather.rule.resolved(named, of: stored.columns, axis: 0) {
            stored.decode(row: rowIndex, into: row)
          } else {
            row.update(repeating: 0, count: stored.inner)
          }
        }
      }
      return Kernel(
        step, inputs: [nil, form], outputs: [TensorDescriptor(request.outputs[0].shape)],
        weights: stored.weights)
    }
  }
}
