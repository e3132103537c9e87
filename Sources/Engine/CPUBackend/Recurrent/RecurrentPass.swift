import CKernels
import COneDNN
import Operators

/// One pass over a sequence, with the native kernel's parameters.
struct RecurrentPass {
  var cell: ck_cell
  /// The indices of the weights among the operator's inputs, with the gates in the kernel's order.
  var weights: RecurrentWeights
  /// The activations in the kernel's order.
  var activations: [RecurrentActivation]
  /// A constant added to the biases of the gate at this index.
  var shift: (gate: Int, by: Float)?
  /// For an LSTM: whether the forget gate is one minus the input gate.
  var couplesGates = false
  /// For an LSTM: the cell state is clamped to ± this value.
  var cellBound: Double = 50
  /// The arguments of the activations are clamped to ± this value.
  var sumBound: Double = 50
  /// For a GRU: whether the reset gate multiplies the product of the state and the recurrent weights, instead of the
  /// state itself.
  var resetsRecursion = false
  /// Whether the pass reads the sequence from its end.
  var reverses = false
  /// Whether the output has all steps. Otherwise, it has only the last step.
  var returnsSequence: Bool
  /// Whether a reversed pass stores its outputs in the order of the inputs, instead of the order in which it computes
  /// them.
  var outputsByTime = false
  /// The number of floats from the output of one batch element to that of the next.
  var outputStride: Int
  /// The index, among the floats of an output vector, at which this pass's output begins. It is not 0 if another pass
  /// writes to the same output, as in a bidirectional LSTM.
  var outputOffset = 0
}

/// A pass for one sequence length and batch size. Its weights are packed once for the network.
struct PreparedPass {
  /// oneDNN's matrix product of the inputs and the gates' input weights. It also adds the biases.
  let product: DNNPrimitive
  let matrices: PackedWeight
  let biases: PackedWeight
  let outputOffset: Int
  /// The number of states: 2 for an LSTM, which has an output and a cell state, otherwise 1.
  let stateCount: Int
  /// The size of the results of `product`, in bytes.
  let projectionByteCount: Int
  /// The size of the native kernel's scratch memory, in bytes.
  let stateByteCount: Int
  /// The weights that multiply the previous output.
  private let recursions: PackedWeight
  private let peepholes: PackedWeight?
  private let layer: ck_recurrence

  /// All packed weights of the pass.
  var packed: [PackedWeight] {
    [matrices, biases, recursions] + [peepholes].compactMap { $0 }
  }

  /// Nil if oneDNN does not support the matrix product of this pass, or if weights are not constant.
  init?(_ pass: RecurrentPass, _ request: KernelRequest) throws {
    func constants(_ positions: [Int]) -> [Constant]? {
      let found: [Constant] = positions.compactMap { request.constant($0) }
      return found.count == positions.count ? found : nil
    }
    guard let matrices = constants(pass.weights.matrices),
      let recursions = constants(pass.weights.recursions),
      let biases = constants(pass.weights.biases),
      let peepholes = constants(pass.weights.peepholes)
    else { return nil }
    let (steps, batch) = (request.inputs[0].shape[0], request.inputs[0].shape[1])
    let (size, inputs) = (matrices[0].shape[0], matrices[0].shape[1])
    let columns: Int = matrices.count * size
    let product = try DNNPrimitive.make { (result) -> adnn_status in
      var description = adnn_matmul()
      description.batch = 1
      description.rows = Int64(steps * batch)
      description.inner = Int64(inputs)
      description.columns = Int64(columns)
      description.transpose_weights = 1
      description.weights_are_constant = 1
      description.has_bias = 1
      description.source_type = ADNN_F32
      description.weights_type = ADNN_F32
      description.destination_type = ADNN_F32
      return adnn_matmul_create(&description, result)
    }
    guard let product else { return nil }
    self.product = product
    self.matrices = product.packed(matrices, in: request.weights)
    self.biases = Self.biases(biases, pass, size, in: request.weights)
    self.recursions = Self.recursions(recursions, pass.cell, size, in: request.weights)
    self.peepholes = peepholes.isEmpty ? nil : request.weights.floats(of: peepholes)
    outputOffset = pass.outputOffset
    stateCount = pass.cell == CK_CELL_LSTM ? 2 : 1
    projectionByteCount = steps * batch * columns * 4
    stateByteCount = Int(ck_recurrence_scratch(Int64(batch), Int64(size)))
    var layer = ck_recurrence()
    layer.cell = pass.cell
    (layer.steps, layer.batch, layer.size) = (Int64(steps), Int64(batch), Int64(size))
    let functions: [ck_gate_function] = pass.activations.map(\.native)
    let none = ck_gate_function(function: CK_AFFINE, alpha: 1, beta: 0)
    layer.functions = (
      functions[0], functions.count > 1 ? functions[1] : none,
      functions.count > 2 ? functions[2] : none
    )
    layer.couples_gates = pass.couplesGates ? 1 : 0
    layer.cell_bound = Float(pass.cellBound)
    layer.sum_bound = Float(pass.sumBound)
    layer.resets_recursion = pass.resetsRecursion ? 1 : 0
    layer.reverses = pass.reverses ? 1 : 0
    layer.returns_sequence = pass.returnsSequence ? 1 : 0
    layer.outputs_by_time = pass.outputsByTime ? 1 : 0
    layer.output_stride = Int64(pass.outputStride)
    self.layer = layer
  }

  /// Runs the pass. Run `product` before this method.
  func run(_ memory: inout ck_recurrence_run_memory) {
    var layer = layer
    layer.weights = UnsafePointer(recursions.floats)
    layer.peepholes = peepholes.map { UnsafePointer($0.floats) }
    requireNative(ck_recurrence_run(&layer, &memory))
  }

  /// Packs the biases, one for each gate and row. Adds `pass.shift.by` to the biases of the gate `pass.shift.gate`.
  private static func biases(
    _ constants: [Constant], _ pass: RecurrentPass, _ size: Int, in weights: PackedWeights
  ) -> PackedWeight {
    let (gates, shift) = (pass.weights.gates, pass.shift)
    let added: String = shift.map { ", \($0.by) added to gate \($0.gate)" } ?? ""
    return weights.weight(
      "biases of \(gates) × \(size)\(added)", of: constants, byteCount: gates * size * 4
    ) { memory in
      // Safe: the memory holds one float per gate and row.
      let target = memory.assumingMemoryBound(to: Float.self)
      for gate in 0..<gates {
        let values: [Float] =
          constants.isEmpty
          ? [Float](repeating: 0, count: size) : try constants[gate].floats()
        let added: Float = shift?.gate == gate ? shift?.by ?? 0 : 0
        for row in 0..<size { target[gate * size + row] = values[row] + added }
      }
    }
  }

  private static func recursions(
    _ constants: [Constant], _ cell: ck_cell, _ size: Int, in weights: PackedWeights
  ) -> PackedWeight {
    let count = Int(ck_recurrence_weights(cell, Int64(size)))
    return weights.weight(
      "recursions of cell \(cell.rawValue)", of: constants, byteCount: count * 4
    ) { memory in
      try constants.joinedFloats().withUnsafeBufferPointer { values in
        guard let base = values.baseAddress else { return }
        // Safe: every gate's matrix has size · size values, and the memory has the stated size.
        let starts: [UnsafePointer<Float>?] = constants.indices.map { base + $0 * size * size }
        starts.withUnsafeBufferPointer {
          ck_recurrence_pack(
            cell, Int64(size), $0.baseAddress, memory.assumingMemoryBound(to: Float.self))
        }
      }
    }
  }
}

extension RecurrentActivation {
  /// The function's parameters for the native kernel.
  var native: ck_gate_function {
    switch self {
    case .linear(let alpha, let beta):
      return ck_gate_function(function: CK_AFFINE, alpha: alpha, beta: beta)
    case .sigmoid: return ck_gate_function(function: CK_SIGMOID, alpha: 0, beta: 0)
    case .tanh: return ck_gate_function(function: CK_TANH, alpha: 0, beta: 0)
    case .reLU: return ck_gate_function(function: CK_RELU, alpha: 0, beta: 0)
    case .scaledTanh(let alpha, let beta):
      return ck_gate_function(function: CK_SCALED_TANH, alpha: alpha, beta: beta)
    case .sigmoidHard(let alpha, let beta):
      return ck_gate_function(function: CK_HARD_SIGMOID, alpha: alpha, beta: beta)
    }
  }
}
