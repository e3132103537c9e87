import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// A product of rows with a matrix `[columns, inner]` that stays as the model keeps it, plus shifts of the columns
  /// where there is a third input. Dense `float32` rows and results; the matrix takes no memory.
  ///
  /// Reading fewer bytes pays for few rows. From more on a product with a packed matrix is faster, and it is
  /// taken unless the matrix is so large that its packed form would be a burden.
  static func storedProduct(_ activation: ActivationFunction? = nil) -> KernelCandidate {
    KernelCandidate("native product with a stored matrix") { request in
      try storedKernel(request, activation)
    }
  }

  private static func storedKernel(_ request: KernelRequest, _ activation: ActivationFunction?)
    throws -> Kernel?
  {
    guard let matrix = request.constant(1),
      let stored = StoredMatrix(matrix, in: request.weights),
      let finish = activation.map(\.uniformFunction) ?? (CK_IDENTITY, 0, 0)
    else { return nil }
    let rows: Int = request.inputs[0].shape.count / stored.inner
    let isNarrow: Bool =
      request.precision == .bfloat16 && request.processor.prefersBFloat16
    guard rows > 0,
      rows <= (isNarrow ? 16 : 48) || stored.widenedByteCount > StoredProductStep.largest
    else { return nil }
    let bias: Constant? = request.constant(2)
    let packedBias = bias.map { request.weights.floats(of: [$0]) }
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    inputs[1] = nil
    if packedBias != nil { inputs[2] = nil }
    let step = StoredProductStep(
      stored, rows: rows, bias: request.inputs.count > 2 ? StepOperand(packedBias, or: 2) : nil,
      activation: finish)
    return Kernel(
      step, inputs: inputs, outputs: [TensorDescriptor(request.outputs[0].shape)],
      weights: stored.weights + [packedBias].compactMap { $0 })
  }
}

/// Multiplies rows with a stored matrix.
private final class StoredProductStep: Step, @unchecked Sendable {
  /// Matrices whose float32 form is larger are never packed, in bytes.
  static let largest = 64 << 20

  private let matrix: StoredMatrix
  private let rows: Int
  private let bias: StepOperand?
  private let activation: (function: ck_function, alpha: Float, beta: Float)

  init(
    _ matrix: StoredMatrix, rows: Int, bias: StepOperand?,
    activation: (function: ck_function, alpha: Float, beta: Float)
  ) {
    self.matrix = matrix
    self.rows = rows
    self.bias = bias
    self.activation = activation
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner gives dense float32 memory of the promised shapes.
    matrix.multiply(
      memory.inputs[0].assumingMemoryBound(to: Float.self), rows: rows,
      bias: bias.map { UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self)) },
      activation: activation, into: memory.outputs[0].assumingMemoryBound(to: Float.self))
  }
}
