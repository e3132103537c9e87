import Operators
import CKernels
import Backends
import Graph

extension KernelCandidate {
  /// Copies blocks by strides. The inputs may have any layout. The outputs get the layout with the longest contiguous
  /// runs. All outputs, and all inputs that moves read, must have one element type in the graph. The outputs are stored
  /// in this type, with two exceptions: if all inputs that moves read are stored as `bfloat16`, or all are in memory in
  /// one narrower type, the outputs are stored in the same way.
  ///
  /// A single move that leaves every element in its position becomes a view of its input. Inputs that no move reads
  /// (such as the input that gives a shape) are accepted in any form.
  ///
  /// - Parameters:
  ///   - fill: The value of output elements that no move writes. Nil if moves write all elements.
  ///   - plan: Returns the moves for the shapes of inputs and outputs. Nil if there are no moves for these shapes.
  package static func moves(
    _ name: String, fill: Float? = nil,
    plan: @escaping @Sendable (_ inputs: [Shape], _ outputs: [Shape]) throws -> [Move]?
  ) -> KernelCandidate {
    KernelCandidate(name, elements: .copied) { request in
      let outputs: [Shape] = request.outputs.map(\.shape)
      guard let moves = try plan(request.inputs.map(\.shape), outputs) else { return nil }
      var inputs: [TensorDescriptor] = request.inputs
      let read: Set<Int> = Set(moves.map(\.input))
      let narrowTypes = Set(read.map { request.narrowInputs[$0] })
      let narrow: ElementType? = narrowTypes.count == 1 ? narrowTypes.first ?? nil : nil
      let isNarrow: Bool = narrow.map { $0.holds(fill) } ?? false
      for index in read {
        // The copy also widens float16.
        let readsNarrow: Bool = isNarrow || request.narrowInputs[index] == .float16
        inputs[index] = readsNarrow ? request.followedInMemory(index) : request.followed(index)
      }
      let element: ElementType = request.outputs[0].element
      guard request.outputs.allSatisfy({ $0.element == element }),
        read.allSatisfy({ request.elements[$0] == element })
      else { return nil }
      let isBFloat16: Bool = !read.isEmpty && read.allSatisfy { inputs[$0].storage == .bfloat16 }
      let storage: ElementType = isBFloat16 ? .bfloat16 : (isNarrow ? narrow : nil) ?? element

      if moves.count == 1, fill == nil, outputs.count == 1,
        let form = aliasForm(of: moves[0], input: inputs[moves[0].input], output: outputs[0])
      {
        return Kernel(
          Step(), inputs: inputs, outputs: [form], aliasedInput: moves[0].input)
      }
      let prefersChannelsLast: Bool = read.contains { index in
        inputs[index].layout == .channelsLast && !inputs[index].isOrderFree
      }
      let forms: [TensorDescriptor] = outputs.indices.map { output in
        let own: [Move] = moves.filter { $0.output == output }
        return bestForm(
          outputs[output], storage, own, inputs, prefersChannelsLast: prefersChannelsLast)
      }
      let copies: [StridedCopy] = moves.filter { $0.count > 0 }.map { move in
        StridedCopy(move, source: inputs[move.input], target: forms[move.output])
      }
      guard copies.allSatisfy({ $0.extents.count <= StridedCopy.maximumRank }) else { return nil }
      let step = MovesStep(copies, outputs: forms, fill: fill)
      return Kernel(step, inputs: inputs, outputs: forms)
    }
  }

  /// Returns the form that leaves all elements of a move in their positions in memory. Nil if there is no such form.
  private static func aliasForm(of move: Move, input: TensorDescriptor, output: Shape)
    -> TensorDescriptor?
  {
    guard input.shape.count == output.count, output.count > 0 else { return nil }
    let layouts: [Layout] = output.rank >= 3 ? [.dense, .channelsLast] : [.dense]
    return layouts.lazy.map { TensorDescriptor(output, input.storage, $0) }.first { form in
      MemoryMove(move, source: input, target: form).isIdentity(count: output.count)
    }
  }

  /// Returns the form of an output for which the moves copy the smallest number of contiguous runs.
  private static func bestForm(
    _ shape: Shape, _ storage: ElementType, _ moves: [Move], _ inputs: [TensorDescriptor],
    prefersChannelsLast: Bool
  ) -> TensorDescriptor {
    let dense = TensorDescriptor(shape, storage)
    guard shape.rank >= 3 else { return dense }
    let channelsLast = TensorDescriptor(shape, storage, .channelsLast)
    func runs(_ form: TensorDescriptor) -> Int {
      moves.reduce(0) { total, move -> Int in
        let memory = MemoryMove(move, source: inputs[move.input], target: form)
        let last: Int = memory.extents.count - 1
        let isRun: Bool = memory.sourceStrides[last] == 1 && memory.targetStrides[last] == 1
        return total + move.count / max(isRun ? memory.extents[last] : 1, 1)
      }
    }
    let (first, second) = prefersChannelsLast ? (channelsLast, dense) : (dense, channelsLast)
    return runs(second) < runs(first) ? second : first
  }

  /// The candidate that gives the output the input's memory. Nothing runs.
  package static let view = KernelCandidate("view", elements: .all) { request in
    .view(of: request, layout: .dense)
  }
}

extension Kernel {
  /// Makes a kernel that gives the first output the first input's memory, both in the given layout.
  package static func view(of request: KernelRequest, layout: Layout) -> Kernel {
    var inputs: [TensorDescriptor] = request.inputs
    let isFloat: Bool = request.outputs[0].element == .float32
    let source: TensorDescriptor = isFloat ? request.followedInMemory() : request.inputs[0]
    let target: Shape = request.outputs[0].shape
    inputs[0] = TensorDescriptor(
      source.shape, source.storage, source.shape.rank >= 3 ? layout : .dense)
    let form = TensorDescriptor(target, source.storage, target.rank >= 3 ? layout : .dense)
    return Kernel(Step(), inputs: inputs, outputs: [form], aliasedInput: 0)
  }
}

/// One strided copy, with the C function's parameters.
package struct StridedCopy: Sendable {
  /// The largest number of loops that the C function supports.
  package static let maximumRank = 8

  package let input: Int
  package let output: Int
  package let extents: [Int64]
  package let sourceStrides: [Int64]
  package let targetStrides: [Int64]
  package let sourceByteOffset: Int
  package let targetByteOffset: Int
  package let sourceType: ck_type
  package let targetType: ck_type

  package init(_ move: Move, source: TensorDescriptor, target: TensorDescriptor) {
    let memory = MemoryMove(move, source: source, target: target)
    input = move.input
    output = move.output
    extents = memory.extents.map(Int64.init)
    sourceStrides = memory.sourceStrides.map(Int64.init)
    targetStrides = memory.targetStrides.map(Int64.init)
    sourceByteOffset = memory.sourceOffset * source.storage.byteCount
    targetByteOffset = memory.targetOffset * target.storage.byteCount
    sourceType = source.kernelType
    targetType = target.kernelType
  }

  package func run(_ memory: StepMemory) { run(memory.inputs[input], to: memory.outputs[output]) }

  /// Copies from `source` to `target` instead of between the tensors of a step.
  package func run(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    // Safe: the planner supplies memory of the planned shapes. Offsets and strides stay inside this memory.
    requireNative(
      ck_copy(
        Int32(extents.count), extents, source + sourceByteOffset, sourceType, sourceStrides,
        target + targetByteOffset, targetType, targetStrides))
  }
}

/// Fills the outputs if a value is given, then copies blocks in order.
package final class MovesStep: Step, @unchecked Sendable {
  private let copies: [StridedCopy]
  private let fills: [FillCopy]

  package init(_ copies: [StridedCopy], outputs: [TensorDescriptor], fill: Float?) {
    self.copies = copies
    fills =
      fill.map { value in
        outputs.enumerated().map { FillCopy(value, output: $0.offset, form: $0.element) }
      } ?? []
  }

  package override func run(_ memory: StepMemory) throws {
    for fill in fills { fill.run(memory) }
    for copy in copies { copy.run(memory) }
  }
}

/// Writes one value to all elements of an output. The copy has a source stride of 0.
package struct FillCopy: Sendable {
  /// The bytes of one element that holds the value.
  private let value: UInt64
  private let output: Int
  private let count: [Int64]
  private let type: ck_type

  package init(_ value: Float, output: Int = 0, form: TensorDescriptor) {
    var bytes: UInt64 = 0
    // Safe: no element has more than eight bytes.
    withUnsafeMutableBytes(of: &bytes) { bytes in
      guard let memory = bytes.baseAddress else { return }
      TensorCodec.pack(
        ReferenceTensor([1], [Double(value)]), as: TensorDescriptor([1], form.storage),
        into: memory)
    }
    self.value = bytes
    self.output = output
    count = [Int64(form.shape.count)]
    type = form.kernelType
  }

  package func run(_ memory: StepMemory) {
    guard count[0] > 0 else { return }
    withUnsafePointer(to: value) { (source: UnsafePointer<UInt64>) -> Void in
      var zero: Int64 = 0
      var step: Int64 = 1
      // Safe: the output holds `count` elements. The source is one element, which is read with stride 0.
      requireNative(
        ck_copy(1, count, source, type, &zero, memory.outputs[output], type, &step))
    }
  }
}

extension ElementType {
  /// Whether the type holds a number exactly. True without a number.
  fileprivate func holds(_ number: Float?) -> Bool {
    number.map { rounded(Double($0)) == Double($0) } ?? true
  }
}

extension TensorDescriptor {
  /// The stored type's name in CKernels.
  package var kernelType: ck_type {
    guard let type = storage.kernelType else {
      preconditionFailure("a moving kernel was planned for \(storage)")
    }
    return type
  }
}
