import Backends
import CKernels
import Graph
import Operators

/// The elements of a dense tensor that an index tensor selects. The methods run the native loops over these elements.
package enum IndexedElements: Sendable {
  /// Slices of a tensor. A vector of indices for the first axes selects each slice.
  case slices(count: Int, extents: [Int64], strides: [Int64], size: Int)
  /// Slices along an axis, each selected by one index. The integer is the axis.
  case axis(ck_axis, Int)
  /// Single elements, each selected by its own index along an axis. The integer is the axis.
  case alongAxis(ck_axis, Int)

  /// Creates the slices that indices select in a tensor of a shape.
  package init(_ slices: SliceIndices, of data: Shape) {
    let depth: Int = slices.depth
    self = .slices(
      count: slices.leading.count, extents: data.dimensions[..<depth].map(Int64.init),
      strides: data.strides[..<depth].map(Int64.init), size: slices.slice.count)
  }

  /// Describes an axis of a tensor along which `count` indices select elements.
  package static func elements(of data: Shape, axis: Int, count: Int) -> ck_axis {
    ck_axis(
      outer: Int64(data.product(0..<axis)), extent: Int64(data[axis]),
      inner: Int64(data.product(axis + 1..<data.rank)), count: Int64(count))
  }

  /// The scratch memory of a scatter, in bytes.
  package var scratchByteCount: Int {
    switch self {
    case .slices(let count, _, _, _): return count * 8
    case .axis(let axis, _): return Int(axis.count) * 8
    case .alongAxis: return 0
    }
  }

  // Safe, here and below: callers supply memory of the sizes for which this value was made.

  /// Copies the selected elements. Throws the operator's error for an index out of range.
  package func gather(
    _ type: ck_type, _ data: UnsafeRawPointer, _ indices: ck_numbers,
    _ target: UnsafeMutableRawPointer
  ) throws {
    let bad: Int64
    switch self {
    case .slices:
      bad = withSlices { ck_gather_slices($0, type, data, indices, target) }
    case .axis(let axis, _):
      bad = withUnsafePointer(to: axis) { ck_gather($0, type, data, indices, target) }
    case .alongAxis(let axis, _):
      bad = withUnsafePointer(to: axis) { ck_gather_along_axis($0, type, data, indices, target) }
    }
    try requireValidIndex(bad, indices)
  }

  /// Updates the selected elements. Throws the operator's error for an index out of range.
  package func scatter(
    _ mode: ck_scatter_mode, _ type: ck_type, _ indices: ck_numbers,
    _ updates: UnsafeRawPointer, _ target: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) throws {
    let starts = scratch.assumingMemoryBound(to: Int64.self)
    let bad: Int64
    switch self {
    case .slices:
      bad = withSlices { ck_scatter_slices($0, mode, type, indices, updates, target, starts) }
    case .axis(let axis, _):
      bad = withUnsafePointer(to: axis) {
        ck_scatter($0, mode, type, indices, updates, target, starts)
      }
    case .alongAxis(let axis, _):
      bad = withUnsafePointer(to: axis) {
        ck_scatter_along_axis($0, mode, type, indices, updates, target)
      }
    }
    try requireValidIndex(bad, indices)
  }

  private func withSlices(_ body: (UnsafePointer<ck_slices>) -> Int64) -> Int64 {
    guard case .slices(let count, let extents, let strides, let size) = self else {
      preconditionFailure("only slices are selected by vectors")
    }
    return extents.withUnsafeBufferPointer { extents in
      strides.withUnsafeBufferPointer { strides in
        var slices = ck_slices(
          count: Int64(count), depth: Int64(extents.count), extents: extents.baseAddress,
          strides: strides.baseAddress, size: Int64(size))
        return body(&slices)
      }
    }
  }

  /// Throws the operator's error if an index is out of range. `position` is the position of such an index among all
  /// indices, or −1 if all indices are in range.
  private func requireValidIndex(_ position: Int64, _ indices: ck_numbers) throws {
    guard position >= 0, let values = indices.values else { return }
    // Both index types, float32 and int32, have four bytes.
    let byteOffset: Int = Int(position) * 4
    let index: Double =
      indices.type == CK_S32
      ? Double(values.load(fromByteOffset: byteOffset, as: Int32.self))
      : Double(values.load(fromByteOffset: byteOffset, as: Float.self))
    switch self {
    case .slices(_, let extents, _, _):
      let axis: Int = Int(position) % extents.count
      _ = try IndexRule.fromEnd.resolved(index, of: Int(extents[axis]), axis: axis)
    case .axis(let sizes, let axis), .alongAxis(let sizes, let axis):
      _ = try IndexRule.fromEnd.resolved(index, of: Int(sizes.extent), axis: axis)
    }
    preconditionFailure("a native kernel rejected a valid index")
  }
}

extension KernelCandidate {
  /// Copies the selected elements, of two or four bytes, in dense memory. The indices keep their type.
  package static func gathering(
    _ name: String,
    _ elements: @escaping @Sendable (_ data: Shape, _ indices: Shape) throws -> IndexedElements
  ) -> KernelCandidate {
    KernelCandidate(name, elements: .fourBytes) { request in
      var data: TensorDescriptor = request.followed()
      data.layout = .dense
      let indices: TensorDescriptor = request.dense(1)
      let numbers = IndexValues(indices)
      let output = TensorDescriptor(request.outputs[0].shape, data.storage)
      guard data.shape.count > 0, indices.shape.count > 0, output.shape.count > 0 else {
        return nil
      }
      let elements: IndexedElements = try elements(data.shape, indices.shape)
      let type: ck_type = data.kernelType
      let step = ClosureStep { memory in
        try elements.gather(
          type, memory.inputs[0], numbers.native(memory.inputs[1]), memory.outputs[0])
      }
      return Kernel(step, inputs: [data, indices], outputs: [output])
    }
  }

  /// Copies the first input and updates the selected elements. Tensors are dense, of `float32` or int32, or of
  /// `bfloat16` if updates replace values. Integers wrap around. The kernel is nil if integers must saturate.
  package static func scattering(
    _ name: String, _ mode: ScatterMode, _ overflow: IntegerOverflow = .wraps,
    _ elements: @escaping @Sendable (_ data: Shape, _ indices: Shape) throws -> IndexedElements
  ) -> KernelCandidate {
    KernelCandidate(name, elements: .fourBytes) { request in
      var forms: [TensorDescriptor] = [0, 1, 2].map { request.dense($0) }
      guard forms[0].storage == forms[2].storage,
        overflow == .wraps || forms[0].storage != .int32
          || [.update, .maximum, .minimum].contains(mode)
      else { return nil }
      if mode == .update, request.followed(0).storage == .bfloat16,
        request.followed(2).storage == .bfloat16
      {
        forms[0].storage = .bfloat16
        forms[2].storage = .bfloat16
      }
      let numbers = IndexValues(forms[1])
      guard forms.allSatisfy({ $0.shape.count > 0 }) else { return nil }
      let elements: IndexedElements = try elements(forms[0].shape, forms[1].shape)
      let type: ck_type = forms[0].kernelType
      let native: ck_scatter_mode = mode.native
      let copy = StridedCopy(
        Move(extents: forms[0].shape.dimensions), source: forms[0], target: forms[0])
      let step = ClosureStep { memory in
        copy.run(memory)
        try elements.scatter(
          native, type, numbers.native(memory.inputs[1]), memory.inputs[2], memory.outputs[0],
          scratch: memory.scratch)
      }
      return Kernel(
        step, inputs: forms, outputs: [forms[0]], scratchByteCount: elements.scratchByteCount)
    }
  }

  /// Fills the output, of `shape`, with zeros and adds the first input at the indices in the second one. Tensors are
  /// dense, of `float32`.
  package static func addingToZeros(
    _ name: String, _ shape: Shape,
    _ elements: @escaping @Sendable (_ data: Shape, _ indices: Shape) throws -> IndexedElements
  ) -> KernelCandidate {
    KernelCandidate(name, elements: .fourBytes) { request in
      let (updates, indices): (TensorDescriptor, TensorDescriptor) = (
        request.dense(0), request.dense(1)
      )
      let output = TensorDescriptor(shape, updates.storage)
      guard updates.storage == .float32,
        [indices, updates, output].allSatisfy({ $0.shape.count > 0 })
      else { return nil }
      let numbers = IndexValues(indices)
      let elements: IndexedElements = try elements(shape, indices.shape)
      let type: ck_type = output.kernelType
      let step = ClosureStep { memory in
        // Safe: the output has the size that its descriptor states.
        memory.outputs[0].initializeMemory(as: UInt8.self, repeating: 0, count: output.byteCount)
        try elements.scatter(
          CK_SCATTER_ADD, type, numbers.native(memory.inputs[1]), memory.inputs[0],
          memory.outputs[0], scratch: memory.scratch)
      }
      return Kernel(
        step, inputs: [updates, indices], outputs: [output],
        scratchByteCount: elements.scratchByteCount)
    }
  }
}

extension ScatterMode {
  fileprivate var native: ck_scatter_mode {
    switch self {
    case .update: return CK_SCATTER_UPDATE
    case .add: return CK_SCATTER_ADD
    case .subtract: return CK_SCATTER_SUBTRACT
    case .multiply: return CK_SCATTER_MULTIPLY
    case .divide: return CK_SCATTER_DIVIDE
    case .maximum: return CK_SCATTER_MAXIMUM
    case .minimum: return CK_SCATTER_MINIMUM
    }
  }
}
