import CKernels
import COneDNN
import Operators

/// One walk along a sequence as the native kernel knows it.
struct RecurrentWalk {
  var cell: ck_cell
  /// Where the weights stand; gates in the kernel's order.
  var weights: RecurrentWeights
  /// In the kernel's order.
  var activations: [RecurrentActivation]
  /// Added to the biases of the gate at this place.
  var shift: (place: Int, by: Float)?
  var couplesGates = false
  var cellBound: Double = 50
  var sumBound: Double = 50
  var resetsRecursion = false
  var reverses = false
  var returnsSequence: Bool
  /// Whether outputs stand where their inputs stood, rather than in the order of the walk.
  var outputsByTime = false
  /// From one output to the next.
  var outputStride: Int
  /// Where this walk's outputs are among those of several.
  var outputOffset = 0
}

/// A walk with its weights, which are packed once for the network, for one length and batch.
struct PreparedWalk {
  /// Inputs times matrices, plus biases.
  let product: DNNPrimitive
  let matrices: PackedWeight
  let biases: PackedWeight
  let outputOffset: Int
  /// How many states go in and out.
  let stateCount: Int
  let projectionByteCount: Int
  let stateByteCount: Int
  private let recursions: PackedWeight
  private let peepholes: PackedWeight?
  private let layer: ck_recurrence

  /// All weights.
  var packed: [PackedWeight] {
    [matrices, biases, recursions] + [peepholes].compactMap { $0 }
  }

  /// Nil where oneDNN has no product for the matrices, or where weights are no constants.
  init?(_ walk: RecurrentWalk, _ request: KernelRequest) throws {
    func constants(_ positions: [Int]) -> [Constant]? {
      let found: [Constant] = positions.compactMap { request.constant($0) }
      return found.count == positions.count ? found : nil
    }
    guard let matrices = constants(walk.weights.matrices),
      let recursions = constants(walk.weights.recursions),
      let biases = constants(walk.weights.biases),
      let peepholes = constants(walk.weights.peepholes)
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
    self.biases = Self.biases(biases, walk, size, in: request.weights)
    self.recursions = Self.recursions(recursions, walk.cell, size, in: request.weights)
    self.peepholes = peepholes.isEmpty ? nil : request.weights.floats(of: peepholes)
    outputOffset = walk.outputOffset
    stateCount = walk.cell == CK_CELL_LSTM ? 2 : 1
    projectionByteCount = steps * batch * columns * 4
    stateByteCount = Int(ck_recurrence_scratch(Int64(batch), Int64(size)))
    var layer = ck_recurrence()
    layer.cell = walk.cell
    (layer.steps, layer.batch, layer.size) = (Int64(steps), Int64(batch), Int64(size))
    let functions: [ck_gate_function] = walk.activations.map(\.native)
    let none = ck_gate_function(function: CK_AFFINE, alpha: 1, beta: 0)
    layer.functions = (
      functions[0], functions.count > 1 ? functions[1] : none,
      functions.count > 2 ? functions[2] : none
    )
    layer.couples_gates = walk.couplesGates ? 1 : 0
    layer.cell_bound = Float(walk.cellBound)
    layer.sum_bound = Float(walk.sumBound)
    layer.resets_recursion = walk.resetsRecursion ? 1 : 0
    layer.reverses = walk.reverses ? 1 : 0
    layer.returns_sequence = walk.returnsSequence ? 1 : 0
    layer.outputs_by_time = walk.outputsByTime ? 1 : 0
    layer.output_stride = Int64(walk.outputStride)
    self.layer = layer
  }

  /// Walks; the products must be there.
  func run(_ memory: inout ck_recurrence_run_memory) {
    var layer = layer
    layer.weights = UnsafePointer(recursions.floats)
    layer.peepholes = peepholes.map { UnsafePointer($0.floats) }
    requireNative(ck_recurrence_run(&layer, &memory))
  }

  /// One bias a row of all matrices, with what the walk adds to one gate.
  private static func biases(
    _ constants: [Constant], _ walk: RecurrentWalk, _ size: Int, in weights: PackedWeights
  ) -> PackedWeight {
    let (gates, shift) = (walk.weights.gates, walk.shift)
    let added: String = shift.map { ", \($0.by) added to gate \($0.place)" } ?? ""
    return weights.weight(
      "biases of \(gates) × \(size)\(added)", of: constants, byteCount: gates * size * 4
    ) { memory in
      // Safe: the memory holds one float a gate and row.
      let target = memory.assumingMemoryBound(to: Float.self)
      for gate in 0..<gates {
        let values: [Float] =
          constants.isEmpty
          ? [Float](repeating: 0, count: size) : try constants[gate].floats()
        let added: Float = shift?.place == gate ? shift?.by ?? 0 : 0
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
        // Safe: every gate's matrix has size · size values, and the memory is as large as asked for.
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
  /// The function for the native kernel.
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
