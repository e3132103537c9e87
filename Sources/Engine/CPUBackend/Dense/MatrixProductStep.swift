import COneDNN
import Operators

/// Where a step finds an operand.
enum StepOperand {
  /// Packed once for the network.
  case packed(PackedWeight)
  /// Memory of an input of the call.
  case input(Int)

  /// Packed weights, or an input where there are none.
  init(_ weight: PackedWeight?, or position: Int) {
    self = weight.map { StepOperand.packed($0) } ?? .input(position)
  }

  /// The operand of one call.
  func pointer(_ memory: StepMemory) -> UnsafeMutableRawPointer {
    switch self {
    case .packed(let weight): return weight.pointer
    case .input(let position): return memory.inputs[position]
    }
  }
}

/// Runs a product of the first input with a matrix.
final class MatrixProductStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let matrix: StepOperand
  private let bias: StepOperand?

  init(_ primitive: DNNPrimitive, matrix: StepOperand, bias: StepOperand? = nil) {
    self.primitive = primitive
    self.matrix = matrix
    self.bias = bias
  }

  override var detail: String { primitive.implementation }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made; the type rule made sure of one shift a column.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    let shifts = bias.map { UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self)) }
    try execution.run(
      source: memory.inputs[0], weights: matrix.pointer(memory), bias: shifts,
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}
