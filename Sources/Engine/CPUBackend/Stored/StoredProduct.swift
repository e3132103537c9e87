import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// Returns the candidate for the product of rows with a matrix `[columns, inner]` in the model's stored form. If
  /// there is a third input, the kernel adds a bias per column. Rows and results are dense `float32`. The matrix takes
  /// no additional memory.
  ///
  /// This candidate is faster for few rows, because it reads fewer bytes. For more rows, a product with a packed matrix
  /// is faster. The candidate then declines, but not if the packed matrix would be very large, or several times as large
  /// as the stored one.
  static func storedProduct(_ epilogue: Epilogue? = nil) -> KernelCandidate {
    KernelCandidate("native product with a stored matrix", skipsTiming: true) { request in
      try storedKernel(request, epilogue)
    }
  }

  private static func storedKernel(_ request: KernelRequest, _ epilogue: Epilogue?)
    throws -> Kernel?
  {
    guard let matrix = request.constant(1),
      let stored = StoredMatrix(matrix, in: request.weights)
    else { return nil }
    let rows: Int = request.inputs[0].shape.count / stored.inner
    let isBFloat16: Bool =
      request.precision == .bfloat16 && request.processor.prefersBFloat16
    guard rows > 0,
      rows <= (isBFloat16 ? stored.mostBFloat16Rows : stored.mostRows)
        || stored.isCompressed && stored.decodedByteCount > StoredProductStep.largest
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

/// How a product applies its epilogue.
private enum ProductFinish {
  /// The kernel applies a function to each sum.
  case function(ck_function, alpha: Float, beta: Float)
  /// A program runs over the results of the kernel.
  case program(PointwiseStep)

  init(_ epilogue: Epilogue?, _ output: TensorDescriptor) throws {
    guard let epilogue else {
      self = .function(CK_IDENTITY, alpha: 0, beta: 0)
      return
    }
    switch epilogue {
    case .activation, .clip, .hardSwish:
      guard let uniform = epilogue.uniformFunction else { throw Self.missing }
      self = .function(uniform.function, alpha: uniform.alpha, beta: uniform.beta)
      return
    case .gelu, .swish: break
    case .residual, .factors, .rounding: throw Self.missing
    }
    guard let program = epilogue.program,
      let step = try PointwiseStep(program, inputs: [output], output: output)
    else { throw Self.missing }
    self = .program(step)
  }

  private static var missing: EngineError {
    EngineError(.backend, "the kernel of a product's epilogue could not be made.")
  }
}

/// Multiplies rows by a stored matrix.
private final class StoredProductStep: Step, @unchecked Sendable {
  /// A matrix that would take more bytes than this as float32 is never packed, even if it multiplies many rows.
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
    // Safe: the planner supplies dense float32 memory of the planned shapes.
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
