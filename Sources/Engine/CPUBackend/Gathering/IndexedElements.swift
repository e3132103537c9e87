import Backends
import CKernels
import Graph
import Operators

/// Which places of a dense tensor another one names; runs the native loops over them.
package enum IndexedPlaces: Sendable {
  /// Slices, by vectors of indices for the first axes.
  case slices(count: Int, extents: [Int64], strides: [Int64], size: Int)
  /// Slices of an axis, by one index each.
  case axis(ck_axis, Int)
  /// Elements, each by an index along an axis.
  case alongAxis(ck_axis, Int)

  /// The slices of a tensor of a shape.
  package init(_ slices: SliceIndices, of data: Shape) {
    let depth: Int = slices.depth
    self = .slices(
      count: slices.leading.count, extents: data.dimensions[..<depth].map(Int64.init),
      strides: data.strides[..<depth].map(Int64.init), size: slices.slice.count)
  }

  /// The places of an axis of a tensor, of which `count` are named.
  package static func places(of data: Shape, axis: Int, count: Int) -> ck_axis {
    ck_axis(
      outer: Int64(data.product(0..<axis)), extent: Int64(data[axis]),
      inner: Int64(data.product(axis + 1..<data.rank)), count: Int64(count))
  }

  /// Scratch memory for a scattering, in bytes.
  package var scratchByteCount: Int {
    switch self {
    case .slices(let count, _, _, _): return count * 8
    case .axis(let axis, _): return Int(axis.count) * 8
    case .alongAxis: return 0
    }
  }

  // Safe, here and below: callers give memory of the sizes that the places were made for.

  /// Copies what is named; throws the operator's sentence for an index that names nothing.
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
    try requirePlace(bad, indices)
  }

  /// Changes what is named; throws as ``gather(_:_:_:_:)`` does.
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
    try requirePlace(bad, indices)
  }

  private func withSlices(_ body: (UnsafePointer<ck_slices>) -> Int64) -> Int64 {
    guard case .slices(let count, let extents, let strides, let size) = self else {
      preconditionFailure("only slices are told by vectors")
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

  /// Throws for the position of an index that names no place; −1 is none.
  private func requirePlace(_ position: Int64, _ indices: ck_numbers) throws {
    guard position >= 0, let values = indices.values else { return }
    // Both types have four bytes.
    let byteOffset: Int = Int(position) * 4
    let index: Double =
      indices.type == CK_S32
      ? Double(values.load(fromByteOffset: byteOffset, as: Int32.self))
      : Double(values.load(fromByteOffset: byteOffset, as: Float.self))
    switch self {
    case .slices(_, let extents, _, _):
      let axis: Int = Int(position) % extents.count
      _ = try IndexRule.fromEnd.place(index, of: Int(extents[axis]), axis: axis)
    case .axis(let sizes, let axis), .alongAxis(let sizes, let axis):
      _ = try IndexRule.fromEnd.place(index, of: Int(sizes.extent), axis: axis)
    }
    preconditionFailure("a native kernel refused an index that names a place")
  }
}

extension KernelCandidate {
  /// Copies what indices name: dense memory of two or four bytes an element, indices as they are.
  package static func gathering(
    _ name: String,
    _ places: @escaping @Sendable (_ data: Shape, _ indices: Shape) throws -> IndexedPlaces
  ) -> KernelCandidate {
    KernelCandidate(name, elements: .fourBytes) { request in
      var data: TensorDescriptor = request.followed()
      data.layout = .dense
      let indices: TensorDescriptor = request.dense(1)
      let numbers = PlaceNumbers(indices)
      let output = TensorDescriptor(request.outputs[0].shape, data.storage)
      guard data.shape.count > 0, indices.shape.count > 0, output.shape.count > 0 else {
        return nil
      }
      let places: IndexedPlaces = try places(data.shape, indices.shape)
      let type: ck_type = data.kernelType
      let step = ClosureStep { memory in
        try places.gather(
          type, memory.inputs[0], numbers.native(memory.inputs[1]), memory.outputs[0])
      }
      return Kernel(step, inputs: [data, indices], outputs: [output])
    }
  }

  /// Changes a copy of the first input where indices say: dense memory, `float32` or int32, or `bfloat16` where
  /// values are replaced. Integers wrap around: nothing fits where they are to saturate.
  package static func scattering(
    _ name: String, _ mode: ScatterMode, _ overflow: IntegerOverflow = .wraps,
    _ places: @escaping @Sendable (_ data: Shape, _ indices: Shape) throws -> IndexedPlaces
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
      let numbers = PlaceNumbers(forms[1])
      guard forms.allSatisfy({ $0.shape.count > 0 }) else { return nil }
      let places: IndexedPlaces = try places(forms[0].shape, forms[1].shape)
      let type: ck_type = forms[0].kernelType
      let native: ck_scatter_mode = mode.native
      let copy = StridedCopy(
        Move(extents: forms[0].shape.dimensions), source: forms[0], target: forms[0])
      let step = ClosureStep { memory in
        copy.run(memory)
        try places.scatter(
          native, type, numbers.native(memory.inputs[1]), memory.inputs[2], memory.outputs[0],
          scratch: memory.scratch)
      }
      return Kernel(
        step, inputs: forms, outputs: [forms[0]], scratchByteCount: places.scratchByteCount)
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
