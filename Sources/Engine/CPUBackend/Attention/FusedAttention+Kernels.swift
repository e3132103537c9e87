import Backends
import CKernels
import Graph
import Operators

extension FusedAttention: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("attention") { try kernel($0) }]
  }

  /// Makes our kernel, which reads and writes dense `float32` and holds the scores of a few queries at a time. It reads
  /// keys and values also in `float16`. Nil if there is nothing to compute, or if the kernel cannot read the mask.
  private func kernel(_ request: KernelRequest) throws -> Kernel? {
    let shapes: [Shape] = request.inputs.map(\.shape)
    guard var description = try description(shapes) else { return nil }
    var forms: [TensorDescriptor] = shapes.map { TensorDescriptor($0) }
    for input in [1, 2] where request.narrowInputs[input] == .float16 {
      forms[input].storage = .float16
    }
    (description.key_type, description.value_type) = (forms[1].kernelType, forms[2].kernelType)
    let (hasMask, threads) = (hasMask, Int32(request.threads))
    let offsets: [Int] = [query.offset, key.offset, value.offset, 0]
    let scratch: Int = withUnsafePointer(to: description) {
      ck_attention_scratch_bytes($0, threads)
    }
    guard scratch > 0 else { return nil }
    let step = ClosureStep { [description, forms] memory in
      // Safe: the planner supplies dense memory in the kernel's forms.
      func elements(_ input: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(memory.inputs[input]) + offsets[input] * forms[input].storage.byteCount
      }
      func floats(_ input: Int) -> UnsafePointer<Float> {
        elements(input).assumingMemoryBound(to: Float.self)
      }
      withUnsafePointer(to: description) { description in
        requireNative(
          ck_attention_run(
            description, floats(0), elements(1), elements(2), hasMask ? floats(3) : nil,
            memory.outputs[0].assumingMemoryBound(to: Float.self), memory.scratch, threads))
      }
    }
    return Kernel(
      step, inputs: forms, outputs: [TensorDescriptor(request.outputs[0].shape)],
      scratchByteCount: scratch)
  }

  /// Describes the operator for CKernels. Nil if there is nothing to compute, or if the kernel cannot read a view or the
  /// mask. A view must have one stride along each axis, with all leading axes read as one. The mask needs one number per
  /// key, and for the leading axes either all numbers or one.
  func description(_ inputs: [Shape]) throws -> ck_attention? {
    let extents: Extents = try extents(inputs)
    let batch: Int = extents.batch.product
    let parts: [Int] = [
      batch, extents.heads, extents.queries, extents.keys, extents.width, extents.columns,
    ]
    guard parts.allSatisfy({ $0 > 0 }), let query = query.strides, let key = key.strides,
      let value = value.strides
    else { return nil }
    var made = ck_attention()
    made.batch = Int64(batch)
    made.heads = Int64(extents.heads)
    made.key_heads = Int64(extents.keyHeads)
    made.queries = Int64(extents.queries)
    made.keys = Int64(extents.keys)
    made.width = Int64(extents.width)
    made.value_width = Int64(extents.columns)
    (made.query, made.key, made.value) = (query, key, value)
    made.destination = result.strides(extents.heads, extents.queries, extents.columns)
    made.scale = scale
    made.scales_query = scalesQuery ? 1 : 0
    (made.key_type, made.value_type) = (CK_F32, CK_F32)
    made.rounds = rounds ? 1 : 0
    made.rounds_result = roundsResult ? 1 : 0
    guard hasMask else { return made }
    let mask: Shape = inputs[3].padded(toRank: extents.batch.count + 3)
    let leading: Int = mask.dimensions.dropLast(3).product
    guard mask[-1] == extents.keys, leading == 1 || leading == batch else { return nil }
    made.has_mask = 1
    if case .hidden(let number) = self.mask { (made.has_mask, made.fill) = (2, number) }
    made.mask.batch = leading == 1 ? 0 : Int64(mask[-3] * mask[-2] * mask[-1])
    made.mask.head = mask[-3] == 1 ? 0 : Int64(mask[-2] * mask[-1])
    made.mask.row = mask[-2] == 1 ? 0 : Int64(mask[-1])
    return made
  }
}

extension StridedView {
  /// The strides of leading axes, heads and rows. Nil if an axis has several, or if the columns are not neighbours.
  fileprivate var strides: ck_attention_strides? {
    let rank: Int = axes.count
    guard let batch = stride(along: 0..<rank - 3), let head = stride(along: rank - 3..<rank - 2),
      let row = stride(along: rank - 2..<rank - 1),
      axes[rank - 1].isEmpty
        || axes[rank - 1] == [
          Run(extent: axes[rank - 1][0].extent, stride: 1)
        ]
    else { return nil }
    return ck_attention_strides(batch: Int64(batch), head: Int64(head), row: Int64(row))
  }
}

extension FusedAttention.Order {
  /// The strides of a dense tensor in this order.
  fileprivate func strides(_ heads: Int, _ rows: Int, _ columns: Int) -> ck_attention_strides {
    ck_attention_strides(
      batch: Int64(heads * rows * columns),
      head: Int64(self == .headsFirst ? rows * columns : columns),
      row: Int64(self == .headsFirst ? columns : heads * columns))
  }
}
