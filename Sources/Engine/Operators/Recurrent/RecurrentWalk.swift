import CKernels
import COneDNN
import Backends
import Graph

/// One walk along a sequence as the native kernel knows it.
package struct RecurrentWalk {
  package var cell: ck_cell
  /// In the kernel's order.
  package var gates: [RecurrentGate]
  /// In the kernel's order.
  package var activations: [RecurrentActivation]
  /// Of input, forget and output gate; empty without.
  package var peepholes: [Weights] = []
  /// Added to the biases of the gate at this place.
  package var shift: (place: Int, by: Float)?
  package var couplesGates = false
  package var cellBound: Double = 50
  package var reverses = false
  package var returnsSequence: Bool
  /// Whether outputs stand where their inputs stood, rather than in the order of the walk.
  package var outputsByTime = false
  /// From one output to the next.
  package var outputStride: Int
  /// Where this walk's outputs are among those of several.
  package var outputOffset = 0
}

/// A walk with its weights packed, for one length and batch.
package struct PreparedWalk {
  /// Inputs times matrices, plus biases.
  package let product: DNNPrimitive
  package let matrices: AlignedBuffer
  package let biases: AlignedBuffer
  package let outputOffset: Int
  /// How many states go in and out.
  package let stateCount: Int
  package let projectionByteCount: Int
  package let stateByteCount: Int
  private let recursions: AlignedBuffer
  private let peepholes: AlignedBuffer?
  private let layer: ck_recurrence

  package var constantByteCount: Int {
    matrices.byteCount + biases.byteCount + recursions.byteCount + (peepholes?.byteCount ?? 0)
  }

  /// Nil where oneDNN has no product for the matrices.
  package init?(_ walk: RecurrentWalk, steps: Int, batch: Int) throws {
    let (size, inputs) = (walk.gates[0].matrix.shape[0], walk.gates[0].matrix.shape[1])
    let columns: Int = walk.gates.count * size
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
    matrices = try product.pack(try walk.gates.flatMap { try $0.matrix.floats() })
    biases = try AlignedBuffer(try Self.biases(walk, size))
    recursions = try Self.pack(walk, size)
    peepholes =
      walk.peepholes.isEmpty
      ? nil : try AlignedBuffer(try walk.peepholes.flatMap { try $0.floats() })
    outputOffset = walk.outputOffset
    stateCount = walk.cell == CK_CELL_LSTM ? 2 : 1
    projectionByteCount = steps * batch * columns * 4
    stateByteCount = Int(ck_recurrence_scratch(Int64(batch), Int64(size)))
    var layer = ck_recurrence()
    layer.cell = walk.cell
    (layer.steps, layer.batch, layer.size) = (Int64(steps), Int64(batch), Int64(size))
    let functions: [ck_gate_function] = walk.activations.map(\.native)
    let none = ck_gate_function(function: CK_LINEAR, alpha: 1, beta: 0)
    layer.functions = (
      functions[0], functions.count > 1 ? functions[1] : none,
      functions.count > 2 ? functions[2] : none
    )
    layer.couples_gates = walk.couplesGates ? 1 : 0
    layer.cell_bound = Float(walk.cellBound)
    layer.reverses = walk.reverses ? 1 : 0
    layer.returns_sequence = walk.returnsSequence ? 1 : 0
    layer.outputs_by_time = walk.outputsByTime ? 1 : 0
    layer.output_stride = Int64(walk.outputStride)
    self.layer = layer
  }

  /// Walks; the products must be there.
  package func run(_ memory: inout ck_recurrence_run_memory) {
    withExtendedLifetime((recursions, peepholes)) {
      var layer = layer
      layer.weights = UnsafePointer(recursions.floats)
      layer.peepholes = peepholes.map { UnsafePointer($0.floats) }
      requireNative(ck_recurrence_run(&layer, &memory))
    }
  }

  private static func biases(_ walk: RecurrentWalk, _ size: Int) throws -> [Float] {
    try walk.gates.enumerated().flatMap { place, gate -> [Float] in
      let values: [Float] = try gate.bias?.floats() ?? [Float](repeating: 0, count: size)
      guard let shift = walk.shift, shift.place == place else { return values }
      return values.map { $0 + shift.by }
    }
  }

  private static func pack(_ walk: RecurrentWalk, _ size: Int) throws -> AlignedBuffer {
    let packed = try AlignedBuffer(
      byteCount: Int(ck_recurrence_weights(walk.cell, Int64(size))) * 4)
    let all: [Float] = try walk.gates.flatMap { try $0.recursion.floats() }
    all.withUnsafeBufferPointer { values in
      guard let base = values.baseAddress else { return }
      // Safe: every gate's matrix has size · size values.
      let starts: [UnsafePointer<Float>?] = walk.gates.indices.map { base + $0 * size * size }
      starts.withUnsafeBufferPointer {
        ck_recurrence_pack(walk.cell, Int64(size), $0.baseAddress, packed.floats)
      }
    }
    return packed
  }
}

extension RecurrentActivation {
  /// The function for the native kernel.
  package var native: ck_gate_function {
    switch self {
    case .linear(let alpha, let beta):
      return ck_gate_function(function: CK_LINEAR, alpha: alpha, beta: beta)
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
