import Backends
import CKernels
import Graph
import Operators

extension BinaryFunction {
  /// Returns the function's name in CKernels for int32. Nil if CKernels does not have the function.
  package func native(_ overflow: IntegerOverflow) -> ck_integer_function? {
    guard overflow == .saturates else { return native }
    switch operation {
    case .add: return CK_INTEGER_SATURATED_ADD
    case .subtract: return CK_INTEGER_SATURATED_SUBTRACT
    case .multiply: return CK_INTEGER_SATURATED_MULTIPLY
    case .floorDivide: return CK_INTEGER_SATURATED_FLOOR_DIVIDE
    case .divide: return CK_INTEGER_SATURATED_DIVIDE
    case .raise: return CK_INTEGER_SATURATED_POWER
    default: return native
    }
  }

  /// The function's name in CKernels for int32 with wraparound. Nil if CKernels does not have the function.
  private var native: ck_integer_function? {
    switch operation {
    case .divide: return CK_INTEGER_DIVIDE
    case .raise: return CK_INTEGER_POWER
    case .add: return CK_INTEGER_ADD
    case .subtract: return CK_INTEGER_SUBTRACT
    case .multiply: return CK_INTEGER_MULTIPLY
    case .floorDivide: return CK_INTEGER_FLOOR_DIVIDE
    case .modulo: return CK_INTEGER_MODULO
    case .maximum: return CK_INTEGER_MAXIMUM
    case .minimum: return CK_INTEGER_MINIMUM
    case .isEqual: return CK_INTEGER_EQUAL
    case .isNotEqual: return CK_INTEGER_NOT_EQUAL
    case .isLess: return CK_INTEGER_LESS
    case .isAtMost: return CK_INTEGER_LESS_EQUAL
    case .isGreater: return CK_INTEGER_GREATER
    case .isAtLeast: return CK_INTEGER_GREATER_EQUAL
    case .logicalAnd: return CK_INTEGER_AND
    case .logicalOr: return CK_INTEGER_OR
    case .logicalXor: return CK_INTEGER_XOR
    case .gate: return CK_INTEGER_GATE
    default: return nil
    }
  }

  /// Returns the candidate that combines int32 inputs from left to right. If there is only one input, the candidate
  /// combines this input with `number`.
  package func candidate(
    number: Int64? = nil, overflow: IntegerOverflow = .wraps
  ) -> KernelCandidate {
    KernelCandidate("native integer arithmetic", elements: [.int32]) { request in
      let output = TensorDescriptor(request.outputs[0].shape, .int32)
      let inputs: [TensorDescriptor] = request.inputs.indices.map(request.dense)
      guard let native = native(overflow), output.shape.rank <= StridedCopy.maximumRank,
        output.shape.count > 0,
        inputs.count + (number == nil ? 0 : 1) >= 2
      else { return nil }
      var right: Int32 = 0
      if let number {
        guard inputs.count == 1, let exact = Int32(exactly: number) else { return nil }
        right = exact
      }
      let step = IntegerStep(
        native, output.shape, inputs.map(\.shape), number: number == nil ? nil : right)
      // If there are more than two inputs, they are combined in the output's memory, which then cannot be the memory of
      // an input.
      let reusable: Int? =
        inputs.count <= 2 ? inputs.firstIndex { $0.shape == output.shape } : nil
      return Kernel(
        step, inputs: inputs, outputs: [output], inPlaceInput: reusable, readsElementwise: true)
    }
  }
}

/// Combines dense int32 tensors with broadcasting.
private final class IntegerStep: Step, @unchecked Sendable {
  private let function: ck_integer_function
  private let extents: [Int64]
  private let strides: [[Int64]]
  private let outputStrides: [Int64]
  private let number: Int32?

  init(_ function: ck_integer_function, _ output: Shape, _ inputs: [Shape], number: Int32?) {
    self.function = function
    self.number = number
    extents = output.dimensions.map(Int64.init)
    strides = inputs.map { $0.broadcastStrides(to: output) }
    outputStrides = output.strides.map(Int64.init)
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner supplies memory of the planned shapes, and the strides stay inside this memory.
    let target = memory.outputs[0].assumingMemoryBound(to: Int32.self)
    if let number {
      return withUnsafeTemporaryAllocation(of: Int64.self, capacity: extents.count) { zeroStrides in
        zeroStrides.initialize(repeating: 0)
        withUnsafePointer(to: number) { number in
          let right = ck_strided(values: number, strides: zeroStrides.baseAddress)
          join((memory.inputs[0], strides[0]), right, target)
        }
      }
    }
    strides[1].withUnsafeBufferPointer {
      join(
        (memory.inputs[0], strides[0]),
        ck_strided(values: memory.inputs[1], strides: $0.baseAddress), target)
    }
    for index in strides.indices.dropFirst(2) {
      strides[index].withUnsafeBufferPointer {
        join(
          (memory.outputs[0], outputStrides),
          ck_strided(values: memory.inputs[index], strides: $0.baseAddress), target)
      }
    }
  }

  private func join(
    _ left: (UnsafeMutableRawPointer, [Int64]), _ right: ck_strided,
    _ target: UnsafeMutablePointer<Int32>
  ) {
    left.1.withUnsafeBufferPointer { strides in
      let left = ck_strided(values: left.0, strides: strides.baseAddress)
      requireNative(ck_integer_binary(function, Int32(extents.count), extents, left, right, target))
    }
  }
}

extension KernelCandidate {
  /// Selects between two tensors of four-byte elements, by a condition of float32 or int32.
  package static let select = KernelCandidate(
    "native select of 32-bit elements", elements: .fourBytes
  ) {
    request in
    let output = TensorDescriptor(request.outputs[0].shape, request.outputs[0].element)
    let inputs: [TensorDescriptor] = request.inputs.indices.map(request.dense)
    guard inputs[1].storage == output.storage, inputs[2].storage == output.storage,
      output.shape.rank <= StridedCopy.maximumRank, output.shape.count > 0
    else { return nil }
    let extents: [Int64] = output.shape.dimensions.map(Int64.init)
    let strides: [[Int64]] = inputs.map { $0.shape.broadcastStrides(to: output.shape) }
    let type: ck_type = inputs[0].kernelType
    let step = ClosureStep { memory in
      strides[0].withUnsafeBufferPointer { first in
        strides[1].withUnsafeBufferPointer { second in
          strides[2].withUnsafeBufferPointer { third in
            // Safe: the planner supplies memory of the planned shapes, and the strides stay inside this memory.
            requireNative(
              ck_select(
                type, Int32(extents.count), extents,
                ck_strided(values: memory.inputs[0], strides: first.baseAddress),
                ck_strided(values: memory.inputs[1], strides: second.baseAddress),
                ck_strided(values: memory.inputs[2], strides: third.baseAddress),
                memory.outputs[0]))
          }
        }
      }
    }
    return Kernel(step, inputs: inputs, outputs: [output])
  }
}

extension Shape {
  /// Returns the strides, in elements, for each axis of a shape to which this shape is broadcast. The stride of a
  /// broadcast axis is 0.
  package func broadcastStrides(to output: Shape) -> [Int64] {
    let missing: Int = output.rank - rank
    let own: [Int] = strides
    return output.dimensions.indices.map { axis in
      axis < missing || self[axis - missing] == 1 ? 0 : Int64(own[axis - missing])
    }
  }
}
