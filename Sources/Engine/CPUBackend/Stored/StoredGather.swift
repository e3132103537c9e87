import Backends
import Graph
import Operators

extension KernelCandidate {
  /// Gathers rows of a matrix in the model's stored form, such as the table of an embedding. Only the gathered rows are
  /// read and decoded.
  static func storedGather(_ gather: GatherOperator) -> KernelCandidate {
    KernelCandidate("native gather from a stored matrix", elements: [.float32, .int32]) { request in
      guard gather.batchAxes == 0, gather.axis == 0 || gather.axis == -2,
        let table = request.constant(0), table.shape.rank == 2,
        table.type.element == .float32, let stored = StoredTable(table, in: request.weights)
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
          let row: UnsafeMutablePointer<Float> = target + index * stored.length
          if let rowIndex = try gather.rule.resolved(named, of: stored.rows, axis: 0) {
            stored.decode(row: rowIndex, into: row)
          } else {
            row.update(repeating: 0, count: stored.length)
          }
        }
      }
      return Kernel(
        step, inputs: [nil, form], outputs: [TensorDescriptor(request.outputs[0].shape)],
        weights: stored.weights)
    }
  }
}

/// The rows of a constant matrix in its stored form.
private struct StoredTable: Sendable {
  private enum Form {
    case encoded(StoredMatrix)
    case floats(StoredValues)
  }

  let rows: Int, length: Int
  private let form: Form

  /// Nil for stored forms that no kernel reads row by row.
  init?(_ table: Constant, in packed: PackedWeights) {
    (rows, length) = (table.shape[0], table.shape[1])
    if let stored = table.stored, stored.storedElement == .float32, table.count > 0,
      stored.byteCount == table.count * 4
    {
      form = .floats(stored)
    } else if let matrix = StoredMatrix(table, in: packed) {
      form = .encoded(matrix)
    } else {
      return nil
    }
  }

  /// The scales, shifts and palettes, packed once for the network.
  var weights: [PackedWeight] {
    if case .encoded(let matrix) = form { return matrix.weights }
    return []
  }

  /// Decodes one row, `length` numbers.
  func decode(row: Int, into destination: UnsafeMutablePointer<Float>) {
    switch form {
    case .encoded(let matrix): matrix.decode(row: row, into: destination)
    case .floats(let stored):
      stored.withPlainBytes { bytes in
        // Safe: the bytes hold all rows. Files store numbers in little-endian order, as this machine does.
        UnsafeMutableRawBufferPointer(start: destination, count: length * 4).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[(row * length * 4)...].prefix(length * 4)))
      }
    }
  }
}
