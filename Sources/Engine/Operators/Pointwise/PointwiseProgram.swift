import CPointwise
import Backends
import Graph

/// A chain of elementwise operations over inputs that are broadcast against each other; it costs one
/// pass over memory, however long it is.
///
/// Registers are numbered: the inputs first, then constants, then the results in their order. The
/// last result is the output.
public struct PointwiseProgram: Sendable {
  /// A constant operand of a shape that is broadcast against the inputs.
  public struct Constant: Sendable {
    /// The extents, outermost first.
    public var shape: Shape
    /// The values, row-major.
    public var values: [Float]

    /// One value a channel, for tensors `[…, C, H, W]`.
    public static func perChannel(_ values: [Float]) -> Constant {
      Constant(shape: [values.count, 1, 1], values: values)
    }
  }

  /// The number of inputs.
  public let inputCount: Int
  /// The operands that the program brings along.
  public let constants: [Constant]
  package private(set) var operations: [cpw_operation] = []

  /// A program without operations, which computes nothing yet.
  public init(inputCount: Int, constants: [Constant] = []) {
    self.inputCount = inputCount
    self.constants = constants
  }

  /// The register of the last result.
  public var result: Int { inputCount + constants.count + operations.count - 1 }

  /// Adds an operation and returns its register.
  @discardableResult
  public mutating func append(
    _ kind: cpw_operation_kind, _ first: Int, _ second: Int = 0, alpha: Float = 0, beta: Float = 0
  ) -> Int {
    operations.append(
      cpw_operation(
        kind: kind, a: Int32(first), b: Int32(second), alpha: alpha, beta: beta))
    return result
  }
}

extension PointwiseProgram {
  /// Adds another program whose inputs are registers of this one and whose constants stand in this
  /// one from `firstConstant` on; returns the register of its result.
  @discardableResult
  public mutating func append(
    _ other: PointwiseProgram, inputs: [Int], firstConstant: Int
  ) -> Int {
    let base = result + 1
    let known = other.inputCount + other.constants.count
    func register(_ number: Int32) -> Int {
      let number = Int(number)
      if number < other.inputCount { return inputs[number] }
      if number < known { return firstConstant + number - other.inputCount }
      return base + number - known
    }
    for operation in other.operations {
      append(
        operation.kind, register(operation.a), register(operation.b), alpha: operation.alpha,
        beta: operation.beta)
    }
    return result
  }

  /// Whether the fast kernel can run it: not too many inputs and operations.
  public var fitsKernel: Bool {
    inputCount + constants.count <= Int(CPW_MAX_INPUTS)
      && operations.count <= Int(CPW_MAX_OPERATIONS)
  }
}

extension PointwiseProgram {
  /// The candidate that runs this program; the layer's only output has the shape of its inputs when
  /// they are broadcast.
  public func candidate(_ name: String) -> KernelCandidate {
    KernelCandidate(name) { request in try kernel(for: request) }
  }

  /// The kernel for a request; nil beyond the limits of `CPointwise.h`.
  ///
  /// Follows the producers: the output is channels-last, or `bfloat16` where that is allowed, when
  /// an input of the output's shape is. Inputs of other shapes, such as one value a channel, are
  /// read as they are. The output may take over the first input's memory.
  public func kernel(for request: KernelRequest) throws -> Kernel? {
    let output = request.outputs[0].shape
    guard request.inputs.count == inputCount, fitsKernel,
      output.dimensions.count(where: { $0 != 1 }) <= Int(CPW_MAX_RANK),
      !operations.isEmpty
    else { return nil }

    let large = request.inputs.filter { $0.shape.count == output.count }
    let isChannelsLast = large.contains { $0.layout == .channelsLast && !$0.isOrderFree }
    let layout: Layout = isChannelsLast && output.rank >= 3 ? .channelsLast : .dense
    let isHalf = request.precision == .bfloat16 && large.contains { $0.storage == .bfloat16 }
    let target = TensorDescriptor(output, isHalf ? .bfloat16 : .float32, layout)
    let inputs: [TensorDescriptor] = request.inputs.map { offered in
      var form = offered
      if offered.storage != .bfloat16 { form.storage = .float32 }
      let sameShape = offered.shape == output
      if offered.shape.count == output.count, !offered.isOrderFree, offered.layout != layout {
        form.layout = sameShape || offered.shape.rank >= 3 ? layout : .dense
      }
      return form
    }
    guard let step = try PointwiseStep(self, inputs: inputs, output: target) else { return nil }
    let reusable = inputs.firstIndex {
      $0.shape.count == output.count && $0.storage == target.storage
        && ($0.layout == target.layout || $0.isOrderFree) && $0.shape == output
    }
    return Kernel(
      step, inputs: inputs, outputs: [target], inPlaceInput: reusable, readsElementwise: true)
  }
}

/// Runs a program on the team of threads; owns the C handle and the constants.
///
/// `@unchecked Sendable`: a C program is immutable, and nothing here changes after `init`.
package final class PointwiseStep: Step, @unchecked Sendable {
  private let handle: OpaquePointer
  private let constants: [AlignedBuffer]
  private let inputCount: Int

  package init?(_ program: PointwiseProgram, inputs: [TensorDescriptor], output: TensorDescriptor) throws {
    var description = cpw_program_description()
    let order = PointwiseStep.memoryOrder(output)
    description.rank = Int32(order.count)
    withUnsafeMutableBytes(of: &description.dimensions) { bytes in
      let extents = bytes.assumingMemoryBound(to: Int64.self)
      for (position, axis) in order.enumerated() { extents[position] = Int64(output.shape[axis]) }
    }
    var operands: [cpw_input] = inputs.map {
      PointwiseStep.operand($0, output: output, order: order)
    }
    for constant in program.constants {
      let form = TensorDescriptor(constant.shape)
      operands.append(PointwiseStep.operand(form, output: output, order: order))
    }
    description.input_count = Int32(operands.count)
    withUnsafeMutableBytes(of: &description.inputs) { bytes in
      let target = bytes.assumingMemoryBound(to: cpw_input.self)
      for (position, operand) in operands.enumerated() { target[position] = operand }
    }
    description.output_type = output.storage == .bfloat16 ? CPW_BF16 : CPW_F32
    description.operation_count = Int32(program.operations.count)
    withUnsafeMutableBytes(of: &description.operations) { bytes in
      let target = bytes.assumingMemoryBound(to: cpw_operation.self)
      for (position, operation) in program.operations.enumerated() { target[position] = operation }
    }
    guard let handle = cpw_program_create(&description) else { return nil }
    self.handle = handle
    self.inputCount = inputs.count
    do {
      constants = try program.constants.map { try AlignedBuffer($0.values) }
    } catch {
      cpw_program_destroy(handle)
      throw error
    }
  }

  deinit { cpw_program_destroy(handle) }

  package override var constantByteCount: Int { constants.reduce(0) { $0 + $1.byteCount } }

  package override func run(_ memory: StepMemory) throws {
    let count = inputCount + constants.count
    // A handful of pointers: the temporary allocation stays on the stack.
    let status: Int32 = withUnsafeTemporaryAllocation(
      of: UnsafeRawPointer?.self, capacity: count
    ) { pointers in
      for index in 0..<inputCount {
        pointers.initializeElement(at: index, to: UnsafeRawPointer(memory.inputs[index]))
      }
      for index in constants.indices {
        pointers.initializeElement(
          at: inputCount + index, to: UnsafeRawPointer(constants[index].pointer))
      }
      // Safe: as many pointers as the program has inputs, in the forms that the kernel asked for.
      return cpw_program_run(handle, pointers.baseAddress, memory.outputs[0])
    }
    guard status == 0 else {
      throw EngineError(.backend, "the elementwise operations failed within their kernel.")
    }
  }

  /// The axes of a shape in the order of its memory, slowest first, without those of one element.
  private static func memoryOrder(_ form: TensorDescriptor) -> [Int] {
    let rank = form.shape.rank
    var axes = Array(0..<rank)
    if form.layout == .channelsLast, rank >= 3 {
      axes = Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3]
    }
    return axes.filter { form.shape[$0] != 1 }
  }

  /// An input's strides over the output's axes; zero where it is broadcast.
  private static func operand(
    _ form: TensorDescriptor, output: TensorDescriptor, order: [Int]
  ) -> cpw_input {
    let missing = output.shape.rank - form.shape.rank
    let strides = form.strides
    var result = cpw_input()
    result.type = form.storage == .bfloat16 ? CPW_BF16 : CPW_F32
    withUnsafeMutableBytes(of: &result.strides) { bytes in
      let target = bytes.assumingMemoryBound(to: Int64.self)
      for (position, axis) in order.enumerated() {
        let own = axis - missing
        let isStepped = own >= 0 && form.shape[own] != 1
        target[position] = isStepped ? Int64(strides[own]) : 0
      }
    }
    return result
  }
}
