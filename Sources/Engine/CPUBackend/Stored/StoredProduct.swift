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
  static func storedProduct(_ epilogue: ProductEpilogue? = nil) -> KernelCandidate {
    KernelCandidate("native product with a stored matrix", isSettled: true) { request in
      try storedKernel(request, epilogue)
    }
  }

  private static func storedKernel(_ request: KernelRequest, _ epilogue: ProductEpilogue?)
    throws -> Kernel?
  {
    guard let matrix = request.constant(1),
      let stored = StoredMatrix(matrix, in: request.weights)
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
    let output = TensorDescriptor(request.outputs[0].shape)
    let step = StoredProductStep(
      stored, rows: rows, bias: request.inputs.count > 2 ? StepOperand(packedBias, or: 2) : nil,
      finish: try ProductFinish(epilogue, output))
    return Kernel(
      step, inputs: inputs, outputs: [output],
      weights: stored.weights + [packedBias].compactMap { $0 })
  }
}

/// What happens to the results of a product.
private enum ProductFinish {
  /// A function of the kernel's own.
  case function(ck_function, alpha: Float, beta: Float)
  /// A program that passes over them.
  case program(PointwiseStep)

  init(_ epilogue: ProductEpilogue?, _ output: TensorDescriptor) throws {
    let program: PointwiseProgram
    switch epilogue {
    case .activation(let activation)?:
      if let uniform = activation.uniformFunction {
        self = .function(uniform.function, alpha: uniform.alpha, beta: uniform.beta)
        return
      }
      program = ActivationOperator(activation).program
    case .gelu(let mode)?: program = GeluOperator(mode).program
    case .swish?: program = FormulaOperator(.swish, inputCount: 1).program
    case nil:
      self = .function(CK_IDENTITY, alpha: 0, beta: 0)
      return
    }
    guard let step = try PointwiseStep(program, inputs: [output], output: output) else {
      throw EngineError(.backend, "the last step of a product could not be made.")
    }
    self = .program(step)
  }
}

/// Multiplies rows with a stored matrix.
private final class StoredProductStep: Step, @unchecked Sendable {
  /// Matrices whose float32 form is larger are never packed, in bytes.
  static let largest = 64 << 20

  private let matrix: StoredMatrix
  private let rows: Int
  private let bias: StepOperand?
  private let finish: ProductFinish

  init(_ matrix: StoredMatrix, rows: Int, bias: StepOperand?, finish: ProductFinish) {
    self.matrix = matrix
    self.rows = rows
    self.bias = bias
    self.finish = finish
  }

  override func run(_ memory: StepMemory) throws {
    var function: (function: ck_function, alpha: Float, beta: Float) = (CK_IDENTITY, 0, 0)
    if case .function(let known, let alpha, let beta) = finish { function = (known, alpha, beta) }
    // Safe: the planner gives dense float32 memory of the promised shapes.
    matrix.multiply(
      memory.inputs[0].assumingMemoryBound(to: Float.self), rows: rows,
      bias: bias.map { UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self)) },
      activation: function, into: memory.outputs[0].assumingMemoryBound(to: Float.self))
    guard case .program(let step) = finish else { return }
    try step.run(
      StepMemory(
        inputs: memory.outputs, outputs: memory.outputs, scratch: memory.scratch, state: nil))
  }
}
