import COneDNN
import Operators

/// The source of a step's operand.
enum StepOperand {
  /// A packed weight of the network.
  case packed(PackedWeight)
  /// An input of the call.
  case input(Int)

  /// Takes the packed weight if there is one, else an input.
  init(_ weight: PackedWeight?, or position: Int) {
    self = weight.map { StepOperand.packed($0) } ?? .input(position)
  }

  /// Returns the address of the operand in one call.
  func pointer(_ memory: StepMemory) -> UnsafeMutableRawPointer {
    switch self {
    case .packed(let weight): return weight.pointer
    case .input(let position): return memory.inputs[position]
    }
  }
}

/// Multiplies the first input by a matrix.
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
    // Safe: the state comes from makeState(), and shape inference checked that there is one bias per column.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    let shifts = bias.map { UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self)) }
    try execution.run(
      source: memory.inputs[0], weights: matrix.pointer(memory), bias: shifts,
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}
