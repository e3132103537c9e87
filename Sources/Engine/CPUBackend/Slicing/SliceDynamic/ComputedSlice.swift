import Backends
import Graph
import Operators

/// A slice of a dense tensor whose bounds are inputs of the run. The shape of the slice is known while planning.
struct ComputedSlice: Sendable {
  private let slice: SliceDynamicOperator
  private let whole: Shape
  private let strides: [Int]
  private let part: Shape
  private let bounds: [ElementType]
  private let firstBound: Int
  private let misfit: @Sendable (Shape) -> EngineError

  /// Creates a slice of a tensor.
  ///
  /// - Parameters:
  ///   - firstBound: The position of the first bound among the inputs of a call.
  ///   - misfit: The error for bounds that give a shape other than the planned one.
  init(
    _ slice: SliceDynamicOperator, of whole: Shape, making part: Shape,
    bounds: [TensorDescriptor], firstBound: Int,
    misfit: @escaping @Sendable (_ found: Shape) -> EngineError
  ) {
    self.misfit = misfit
    self.slice = slice
    self.whole = whole
    self.part = part
    self.firstBound = firstBound
    strides = whole.strides
    self.bounds = bounds.map(\.storage)
  }

  /// Returns the dense forms in which bounds are read: integers or `float32`. Nil if the bounds are not vectors with
  /// one number for each axis of the tensor.
  static func forms(_ bounds: some Sequence<TensorDescriptor>, rank: Int) -> [TensorDescriptor]? {
    let forms: [TensorDescriptor] = bounds.map {
      TensorDescriptor($0.shape, $0.storage == .int32 ? .int32 : .float32)
    }
    return forms.allSatisfy { $0.shape.count == rank } ? forms : nil
  }

  /// Calls the closure with the loops over the slice, the loops' strides in the whole tensor, and the offset of the
  /// slice's first element. Strides and offset are in elements.
  func withLoops(
    _ inputs: UnsafePointer<UnsafeMutableRawPointer>,
    _ body: (
      _ rank: Int32, _ extents: UnsafePointer<Int64>, _ strides: UnsafePointer<Int64>,
      _ offset: Int
    ) -> Void
  ) throws {
    // There are only a few numbers, so the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * whole.rank) { numbers in
      numbers.initialize(repeating: 0)
      guard let extents = numbers.baseAddress else { return }
      let steps: UnsafeMutablePointer<Int64> = extents + whole.rank
      var offset = 0
      var loopCount = 0
      for axis in 0..<whole.rank {
        let taken: AxisSlice = slice.slice(axis, given: bounds.count) { position in
          // Safe: the planner supplies memory of the forms of the kernel.
          let list: UnsafeMutableRawPointer = inputs[firstBound + position]
          guard bounds[position] == .float32 else {
            return Int(list.assumingMemoryBound(to: Int32.self)[axis])
          }
          return ReferenceTensor.integer(Double(list.assumingMemoryBound(to: Float.self)[axis]))
        }
        guard taken.stride != 0 else { throw AxisSlice.withoutStride(axis) }
        let range: SliceRange = try taken.range(whole[axis], axis: axis)
        offset += range.first * strides[axis]
        guard !taken.isSqueezed else { continue }
        extents[loopCount] = Int64(range.count)
        steps[loopCount] = Int64(taken.stride * strides[axis])
        loopCount += 1
      }
      guard takes(extents, loopCount) else {
        throw misfit(Shape((0..<loopCount).map { Int(extents[$0]) }))
      }
      body(Int32(loopCount), extents, steps, offset)
    }
  }

  /// Returns whether the loops match the planned shape. For a single element, the number of axes does not matter.
  private func takes(_ extents: UnsafePointer<Int64>, _ rank: Int) -> Bool {
    if part.count == 1 { return (0..<rank).allSatisfy { extents[$0] == 1 } }
    return rank == part.rank && (0..<rank).allSatisfy { extents[$0] == Int64(part[$0]) }
  }
}
