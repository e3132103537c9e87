import CKernels
import Testing

/// The tests in LayersTests compare the kernels of the best instruction set with the reference implementation. The
/// tests here compare the kernels of every other instruction set with those of the best one.
extension KernelTests {
  @Test(
    "Every instruction set computes the same recurrences",
    arguments: [CK_CELL_SIMPLE, CK_CELL_GRU, CK_CELL_LSTM],
    [(1, 5), (3, 16), (6, 37)])
  func recurrence(cell: ck_cell, shape: (batch: Int, size: Int)) {
    defer { ck_limit_instructions(3) }
    let best = walked(cell, shape.batch, shape.size)
    #expect(best.contains { abs($0) > 1e-3 })
    for level: Int32 in 0..<3 {
      ck_limit_instructions(level)
      let error = worstError(walked(cell, shape.batch, shape.size), best.map(Double.init))
      #expect(error < 1e-5, "level \(level)")
    }
  }

  /// Runs four steps of a cell. Returns all outputs and the final states.
  private func walked(_ cell: ck_cell, _ batch: Int, _ size: Int) -> [Float] {
    let steps = 4
    let gates = cell == CK_CELL_LSTM ? 4 : cell == CK_CELL_GRU ? 3 : 1
    var numbers = Numbers(seed: 31)
    let projected = Values(CK_F32, numbers.array(steps * batch * gates * size))
    let states = Values(CK_F32, numbers.array(2 * batch * size))
    let peepholes = Values(CK_F32, numbers.array(3 * size))
    let recursions = Values(CK_F32, numbers.array(gates * size * size).map { $0 / 4 })
    let packed = Values(CK_F32, count: Int(ck_recurrence_weights(cell, Int64(size))))
    func floats(_ values: Values, _ offset: Int = 0) -> UnsafeMutablePointer<Float> {
      values.pointer.assumingMemoryBound(to: Float.self) + offset
    }
    ck_recurrence_pack(
      cell, Int64(size),
      (0..<gates).map { UnsafePointer(floats(recursions, $0 * size * size)) }, floats(packed))
    let outputs = Values(CK_F32, count: steps * batch * size)
    let last = Values(CK_F32, count: 2 * batch * size)
    let scratch = Values(
      CK_F32, count: Int(ck_recurrence_scratch(Int64(batch), Int64(size))) / 4)
    var layer = ck_recurrence()
    layer.cell = cell
    (layer.steps, layer.batch, layer.size) = (Int64(steps), Int64(batch), Int64(size))
    (layer.weights, layer.peepholes) = (
      UnsafePointer(floats(packed)), UnsafePointer(floats(peepholes))
    )
    let tanh = ck_gate_function(function: CK_SCALED_TANH, alpha: 1.1, beta: 0.9)
    layer.functions = (
      ck_gate_function(function: CK_SIGMOID, alpha: 0, beta: 0), tanh,
      ck_gate_function(function: CK_TANH, alpha: 0, beta: 0)
    )
    (layer.cell_bound, layer.returns_sequence, layer.output_stride) = (0.9, 1, Int64(size))
    var memory = ck_recurrence_run_memory()
    memory.projected = UnsafePointer(floats(projected))
    memory.first_output = UnsafePointer(floats(states))
    memory.first_cell = UnsafePointer(floats(states, batch * size))
    memory.outputs = floats(outputs)
    (memory.last_output, memory.last_cell) = (floats(last), floats(last, batch * size))
    memory.scratch = floats(scratch)
    #expect(ck_recurrence_run(&layer, &memory) == 0)
    return withExtendedLifetime(
      (projected, states, peepholes, recursions, packed, outputs, last, scratch)
    ) { outputs.array + last.array.prefix(cell == CK_CELL_LSTM ? 2 * batch * size : batch * size) }
  }

  @Test(
    "Every instruction set draws the same random numbers",
    arguments: [CK_NORMAL, CK_UNIFORM, CK_BERNOULLI])
  func random(distribution: ck_distribution) {
    defer { ck_limit_instructions(3) }
    func drawn() -> [Float] {
      var values = [Float](repeating: .nan, count: 1003)
      #expect(ck_random(distribution, 0.25, 2, 99, Int64(values.count), &values) == 0)
      return values
    }
    let best = drawn()
    for level: Int32 in 0..<3 {
      ck_limit_instructions(level)
      #expect(worstError(drawn(), best.map(Double.init)) < 1e-6, "level \(level)")
    }
  }
}
