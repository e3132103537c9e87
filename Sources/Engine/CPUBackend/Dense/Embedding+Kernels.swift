import Operators

extension EmbeddingOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.tableLookUp] }
}

extension EmbeddingNDOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.tableLookUp] }
}

extension KernelCandidate {
  /// Copies one vector of a table per index. If the table is constant, it is packed once, with contiguous vectors to
  /// which the biases are added. A variable table is read in its own order. Tensors are dense `float32`. Needs no
  /// scratch memory.
  fileprivate static let tableLookUp = KernelCandidate("native table lookup") { request in
    let table: Shape = request.inputs[1].shape
    let (length, entries) = (table[0], table[1])
    let count: Int = request.inputs[0].shape.count
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    let outputs = [TensorDescriptor(request.outputs[0].shape)]
    let parameters: [Constant] = (1..<inputs.count).compactMap { request.constant($0) }
    guard parameters.count == inputs.count - 1 else {
      let step = ChangingTableStep(
        count: count, length: length, entries: entries, hasShifts: inputs.count > 2)
      return Kernel(step, inputs: inputs, outputs: outputs)
    }
    for position in 1..<inputs.count { inputs[position] = nil }
    let rows = request.weights.weight(
      "table of vectors", of: parameters, byteCount: table.count * 4
    ) { memory in
      // Safe: the memory holds as many floats as the table.
      let target = memory.assumingMemoryBound(to: Float.self)
      let shifts: [Float]? = parameters.count > 1 ? try parameters[1].floats() : nil
      try parameters[0].floats().withUnsafeBufferPointer { values in
        for row in 0..<length {
          let shift: Float = shifts?[row] ?? 0
          for entry in 0..<entries {
            target[entry * length + row] = values[row * entries + entry] + shift
          }
        }
      }
    }
    let step = PackedTableStep(rows, count: count, length: length, entries: entries)
    return Kernel(step, inputs: inputs, outputs: outputs, weights: [rows])
  }
}

/// Copies one vector of a packed table per index.
private final class PackedTableStep: Step, @unchecked Sendable {
  private let rows: PackedWeight
  private let count: Int, length: Int, entries: Int

  init(_ rows: PackedWeight, count: Int, length: Int, entries: Int) {
    self.rows = rows
    (self.count, self.length, self.entries) = (count, length, entries)
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner supplies dense float32 memory of the planned shapes.
    let indices = memory.inputs[0].assumingMemoryBound(to: Float.self)
    let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
    let vectors: UnsafeMutablePointer<Float> = rows.floats
    for position in 0..<count {
      let entry: Int = try embeddingEntry(Double(indices[position]), of: entries)
      (target + position * length).update(from: vectors + entry * length, count: length)
    }
  }
}

/// Copies one column of a table per index.
private final class ChangingTableStep: Step, @unchecked Sendable {
  private let count: Int, length: Int, entries: Int
  /// Whether the third input holds one bias per element of a vector.
  private let hasShifts: Bool

  init(count: Int, length: Int, entries: Int, hasShifts: Bool) {
    (self.count, self.length, self.entries) = (count, length, entries)
    self.hasShifts = hasShifts
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner supplies dense float32 memory of the planned shapes.
    let indices = memory.inputs[0].assumingMemoryBound(to: Float.self)
    let table = memory.inputs[1].assumingMemoryBound(to: Float.self)
    let shifts = hasShifts ? memory.inputs[2].assumingMemoryBound(to: Float.self) : nil
    let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
    for position in 0..<count {
      let entry: Int = try embeddingEntry(Double(indices[position]), of: entries)
      for row in 0..<length {
        target[position * length + row] = table[row * entries + entry] + (shifts?[row] ?? 0)
      }
    }
  }
}
