import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// Returns the candidate for the product of many rows with a matrix `[columns, inner]` in the model's stored form, and
  /// an epilogue. If there is a third input before those of the epilogue, the kernel adds a bias per column.
  ///
  /// For every run, the kernel widens the matrix to float32, some columns at a time. For many rows, this takes little of
  /// the time, and the memory of a packed matrix is saved.
  static func storedPanels(_ epilogue: [Epilogue]) -> KernelCandidate {
    KernelCandidate("native product with panels of a stored matrix", skipsTiming: true) { request in
      let own: Int = request.inputs.count - epilogue.inputCount
      let isBFloat16: Bool = request.precision == .bfloat16 && request.processor.prefersBFloat16
      guard !isBFloat16, let steps = ImageEpilogue(epilogue, inputsFrom: own),
        steps.factorsInput == nil, let function = steps.uniformFunction,
        let matrix = request.constant(1), let stored = StoredMatrix(matrix, in: request.weights)
      else { return nil }
      let rows: Int = request.inputs[0].shape.count / stored.inner
      guard let least = stored.leastPanelRows, rows >= least else { return nil }
      if let residual = steps.residual {
        guard residual.offset == CropOperator.Offset(),
          request.inputs[residual.input].shape == request.outputs[0].shape
        else { return nil }
      }
      let bias: Constant? = own > 2 ? request.constant(2) : nil
      let packedBias = bias.map { request.weights.floats(of: [$0]) }
      var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
      inputs[1] = nil
      if packedBias != nil { inputs[2] = nil }
      let step = StoredPanelsStep(
        stored, rows: rows, bias: own > 2 ? StepOperand(packedBias, or: 2) : nil,
        residual: steps.residual?.input, function: function, rounds: steps.rounds)
      return Kernel(
        step, inputs: inputs, outputs: [TensorDescriptor(request.outputs[0].shape)],
        weights: stored.weights + [packedBias].compactMap { $0 },
        inPlaceInput: steps.residual?.input)
    }
  }
}

/// Multiplies many rows by a stored matrix, and applies an epilogue.
private final class StoredPanelsStep: Step, @unchecked Sendable {
  private let matrix: StoredMatrix
  private let rows: Int
  private let bias: StepOperand?
  private let residual: Int?
  private let function: (function: ck_function, alpha: Float, beta: Float)
  private let rounds: Bool

  init(
    _ matrix: StoredMatrix, rows: Int, bias: StepOperand?, residual: Int?,
    function: (function: ck_function, alpha: Float, beta: Float), rounds: Bool
  ) {
    self.matrix = matrix
    self.rows = rows
    self.bias = bias
    self.residual = residual
    self.function = function
    self.rounds = rounds
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner supplies dense float32 memory of the planned shapes.
    matrix.multiplyPanels(
      memory.inputs[0].assumingMemoryBound(to: Float.self), rows: rows,
      bias: bias.map { UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self)) },
      residual: residual.map {
        UnsafePointer(memory.inputs[$0].assumingMemoryBound(to: Float.self))
      },
      activation: function, rounds: rounds,
      into: memory.outputs[0].assumingMemoryBound(to: Float.self))
  }
}
