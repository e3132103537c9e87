import Backends
import Graph
import Operators

/// Where a slice whose bounds are inputs lies in a dense tensor; the shape of the slice is known before.
struct ComputedSlice: Sendable {
  private let slice: SliceDynamicOperator
  private let whole: Shape
  private let strides: [Int]
  private let part: Shape
  private let bounds: [ElementType]
  private let firstBound: Int
  private let misfit: @Sendable (Shape) -> EngineError

  /// A slice of a shape in a tensor.
  ///
  /// - Parameters:
  ///   - firstBound: the position of the first bound among the inputs of a call.
  ///   - misfit: the error for bounds that take another shape.
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

  /// The forms in which bounds are read: dense, whole numbers or `float32`; nil where they are no vectors of
  /// the tensor's rank.
  static func forms(_ bounds: some Sequence<TensorDescriptor>, rank: Int) -> [TensorDescriptor]? {
    let forms: [TensorDescriptor] = bounds.map {
      TensorDescriptor($0.shape, $0.storage == .int32 ? .int32 : .float32)
    }
    return forms.allSatisfy { $0.shape.count == rank } ? forms : nil
  }

  /// Calls the closure with the loops over the slice, the strides in the whole, and the place of the first
  /// element.
  func withLoops(
    _ inputs: UnsafePointer<UnsafeMutableRawPointer>,
    _ body: (
      _ rank: Int32, _ extents: UnsafePointer<Int64>, _ strides: UnsafePointer<Int64>,
      _ offset: Int
    ) -> Void
  ) throws {
    // A handful of numbers: the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * whole.rank) { numbers in
      numbers.initialize(repeating: 0)
      guard let extents = numbers.baseAddress else { return }
      let steps: UnsafeMutablePointer<Int64> = extents + whole.rank
      var offset = 0
      var kept = 0
      for axis in 0..<whole.rank {
        let taken: AxisSlice = slice.slice(axis, given: bounds.count) { position in
          // Safe: the planner gives memory of the forms that the kernel asked for.
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
        extents[kept] = Int64(range.count)
        steps[kept] = Int64(taken.stride * strides[axis])
        kept += 1
      }
      guard takes(extents, kept) else {
        throw misfit(Shape((0..<kept).map { Int(extents[$0]) }))
      }
      body(Int32(kept), extents, steps, offset)
    }
  }

  /// Whether the loops take what was planned; a single element has any number of axes.
  private func takes(_ extents: UnsafePointer<Int64>, _ rank: Int) -> Bool {
    if part.count == 1 { return (0..<rank).allSatisfy { extents[$0] == 1 } }
    return rank == part.rank && (0..<rank).allSatisfy { extents[$0] == Int64(part[$0]) }
  }
}
