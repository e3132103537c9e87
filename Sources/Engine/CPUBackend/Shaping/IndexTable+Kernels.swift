import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// The most indices of a table that is made while planning, before the budget was asked: 32 MiB. Longer axes
  /// are left to the definition, whose memory the budget counts.
  package static let largestTable = 1 << 22

  /// Copies the elements that one list of indices an axis names; follows the input's layout, and keeps
  /// elements of any type of four or two bytes as they are.
  ///
  /// - Parameter places: for the request, the input's index for every index of each axis of the output; nil
  ///   where the operator does something else.
  package static func picks(
    _ name: String, places: @escaping @Sendable (KernelRequest) -> [[Int]]?
  ) -> KernelCandidate {
    KernelCandidate(name, elements: [.float32, .int32]) { request in
      let isFloat: Bool = request.outputs[0].element == .float32
      let source: TensorDescriptor = isFloat ? request.followed() : request.inputs[0]
      let output: Shape = request.outputs[0].shape
      guard source.shape.count > 0, output.count > 0, output.rank == source.shape.rank,
        output.rank > 0, output.dimensions.saturatingSum <= largestTable,
        source.shape.dimensions.saturatingSum <= largestTable, let places = places(request)
      else { return nil }
      let target = TensorDescriptor(output, source.storage, source.layout)
      var inputs: [TensorDescriptor?] = request.inputs
      inputs[0] = source
      return Kernel(PickStep(places, source, target), inputs: inputs, outputs: [target])
    }
  }
}

/// Copies runs of bytes whose offsets are tabulated axis by axis.
private final class PickStep: Step, @unchecked Sendable {
  private let extents: [Int64]
  private let offsets: [Int64]
  private let run: Int64

  init(_ places: [[Int]], _ source: TensorDescriptor, _ target: TensorDescriptor) {
    let strides: [Int] = source.strides
    // The output's axes as they lie in memory, the outermost first.
    var order: [Int] = Array(0..<target.shape.rank)
    if target.layout == .channelsLast, order.count >= 3 {
      order.append(order.remove(at: order.count - 3))
    }
    // Axes that stay as they are and lie innermost are copied in one piece.
    var run: Int = source.storage.byteCount
    while order.count > 1, let axis = order.last,
      places[axis] == Array(0..<source.shape[axis])
    {
      run *= source.shape[axis]
      order.removeLast()
    }
    self.run = Int64(run)
    extents = order.map { Int64(places[$0].count) }
    offsets = order.flatMap { axis in
      places[axis].map { Int64($0 * strides[axis] * source.storage.byteCount) }
    }
  }

  override var constantByteCount: Int { 8 * offsets.count }

  override func run(_ memory: StepMemory) throws {
    // Safe: the lists outlive the call, and all offsets lie inside of the input.
    extents.withUnsafeBufferPointer { extents in
      offsets.withUnsafeBufferPointer { offsets in
        var pick = ck_pick(
          rank: Int64(extents.count), extents: extents.baseAddress, places: offsets.baseAddress,
          run: run)
        ck_pick_run(&pick, memory.inputs[0], memory.outputs[0])
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
          places(extent: shape[axis], before: amounts[2 * axis], after: amounts[2 * axis + 1])
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
      let pictures: KernelCandidate = .bilinear(grid: grid)
      return [
        KernelCandidate(pictures.name) { request in
          // Rows and columns are resized, or stay as they are by the grid; of other axes the definition knows.
          let (from, to) = (request.inputs[0].shape, request.outputs[0].shape)
          let count: Int = axisCount(request.inputs.map(\.shape))
          guard from.rank >= 2, from.dimensions.dropLast(2) == to.dimensions.dropLast(2),
            count == 2 || grid != .regionOfInterest, var kernel = try pictures.make(request)
          else { return nil }
          // The sizes are known; they are taken in whatever form they have.
          kernel.inputs += request.inputs.dropFirst().map(Optional.some)
          return kernel
        }
      ]
    }
  }
}

extension KernelCandidate {
  /// The nearest elements of so many of the last axes.
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
  /// The values of an input as whole numbers, where it is a constant.
  package func integers(_ input: Int) -> [Int]? {
    constant(input).flatMap { try? $0.tensor().integers }
  }
}
