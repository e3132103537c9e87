import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// The largest number of indices in a table, which then takes 32 MiB. Tables are made during planning, before the
  /// memory budget is checked. Longer axes use the reference implementation, whose memory the budget counts.
  package static let largestTable = 1 << 22

  /// Copies the elements that one list of indices per axis selects. Follows the input's layout, and copies elements of
  /// four or two bytes unchanged.
  ///
  /// - Parameter indices: Returns one list for each axis of the output. Element *i* of a list is the index in the input
  ///   for index *i* in the output. Nil if the operator of the request does not copy elements this way.
  package static func picks(
    _ name: String, indices: @escaping @Sendable (KernelRequest) -> [[Int]]?
  ) -> KernelCandidate {
    KernelCandidate(name, elements: [.float32, .int32]) { request in
      let isFloat: Bool = request.outputs[0].element == .float32
      let source: TensorDescriptor = isFloat ? request.followed() : request.inputs[0]
      let output: Shape = request.outputs[0].shape
      guard source.shape.count > 0, output.count > 0, output.rank == source.shape.rank,
        output.rank > 0, output.dimensions.saturatingSum <= largestTable,
        source.shape.dimensions.saturatingSum <= largestTable, let indices = indices(request)
      else { return nil }
      let target = TensorDescriptor(output, source.storage, source.layout)
      var inputs: [TensorDescriptor?] = request.inputs
      inputs[0] = source
      return Kernel(PickStep(indices, source, target), inputs: inputs, outputs: [target])
    }
  }
}

/// Copies blocks of bytes. A table for each axis holds the offsets of the blocks.
private final class PickStep: Step, @unchecked Sendable {
  private let extents: [Int64]
  private let offsets: [Int64]
  private let run: Int64

  init(_ indices: [[Int]], _ source: TensorDescriptor, _ target: TensorDescriptor) {
    let strides: [Int] = source.strides
    // The output's axes in memory order, outermost first.
    var order: [Int] = Array(0..<target.shape.rank)
    if target.layout == .channelsLast, order.count >= 3 {
      order.append(order.remove(at: order.count - 3))
    }
    // The innermost axes that are copied unchanged form one block.
    var run: Int = source.storage.byteCount
    while order.count > 1, let axis = order.last,
      indices[axis] == Array(0..<source.shape[axis])
    {
      run *= source.shape[axis]
      order.removeLast()
    }
    self.run = Int64(run)
    extents = order.map { Int64(indices[$0].count) }
    offsets = order.flatMap { axis in
      indices[axis].map { Int64($0 * strides[axis] * source.storage.byteCount) }
    }
  }

  override var constantByteCount: Int { 8 * offsets.count }

  override func run(_ memory: StepMemory) throws {
    // Safe: the lists are valid during the call, and all offsets are inside of the input.
    extents.withUnsafeBufferPointer { extents in
      offsets.withUnsafeBufferPointer { offsets in
        var pick = ck_gather_blocks(
          rank: Int64(extents.count), extents: extents.baseAddress, offsets: offsets.baseAddress,
          block_bytes: run)
        ck_gather_blocks_run(&pick, memory.inputs[0], memory.outputs[0])
      }
    }
  }
}

extension PadAxesOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .picks("native padding of axes") { request in
        guard let amounts = self.amounts ?? request.integers(1) else { return nil }
        let shape: Shape = request.inputs[0].shape
        return (0..<shape.rank).map { axis in
          sourceIndices(
            extent: shape[axis], before: amounts[2 * axis], after: amounts[2 * axis + 1])
        }
      }
    ]
  }
}

extension ResizeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    switch mode {
    case .nearest:
      return [.nearest(grid) { axisCount($0.inputs.map(\.shape)) }]
    case .linear:
      let bilinear: KernelCandidate = .bilinear(grid: grid)
      return [
        KernelCandidate(bilinear.name) { request in
          // This kernel resizes rows and columns only. If another axis changes, the reference implementation runs.
          let (from, to) = (request.inputs[0].shape, request.outputs[0].shape)
          let count: Int = axisCount(request.inputs.map(\.shape))
          guard from.rank >= 2, from.dimensions.dropLast(2) == to.dimensions.dropLast(2),
            count == 2 || grid != .regionOfInterest, var kernel = try bilinear.make(request)
          else { return nil }
          // The sizes are known while planning, so inputs that hold sizes are not read and are accepted in any form.
          kernel.inputs += request.inputs.dropFirst().map(Optional.some)
          return kernel
        }
      ]
    }
  }
}

extension KernelCandidate {
  /// Returns the candidate that picks the nearest elements along the last axes. `axes` returns the number of these
  /// axes.
  package static func nearest(
    _ grid: SamplingGrid, axes: @escaping @Sendable (KernelRequest) -> Int
  ) -> KernelCandidate {
    .picks("native nearest resizing") { request in
      let (from, to) = (request.inputs[0].shape, request.outputs[0].shape)
      let first: Int = from.rank - axes(request)
      return (0..<from.rank).map { axis in
        axis < first
          ? Array(0..<from[axis]) : grid.nearest(extent: from[axis], count: to[axis])
      }
    }
  }
}

extension KernelRequest {
  /// Returns the values of an input as integers, if it is constant.
  package func integers(_ input: Int) -> [Int]? {
    constant(input).flatMap { try? $0.tensor().integers }
  }
}
