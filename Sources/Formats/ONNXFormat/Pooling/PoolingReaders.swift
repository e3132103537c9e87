import Graph
import Operators

/// Maximum, average and Lp pooling, over windows or over all spatial axes.
enum PoolingReaders {
  static let all: [NodeReader] = [
    NodeReader("MaxPool", as: [PoolingOperator.self, Pooling3DOperator.self], .exact) { node in
      if node.hasOutput(1) { return try node.maximumWithIndices() }
      return [try node.pooled(.maximum)]
    },
    NodeReader("AveragePool", as: [PoolingOperator.self, Pooling3DOperator.self]) {
      [try $0.pooled(.average)]
    },
    NodeReader("LpPool", as: [PoolingOperator.self]) { node in
      node.int("p", or: 2) == 2 ? [try node.pooled(.l2)] : [try node.normOfWindows()]
    },
    global("GlobalAveragePool", .average, .mean), global("GlobalMaxPool", .maximum, .maximum),
    NodeReader("GlobalLpPool", as: [ReduceAxesOperator.self]) { node in
      let (x, p) = (try node.tensor(0), node.int("p", or: 2))
      let rank: Int = try node.rank(x)
      return [
        ONNXTensor(
          try node.norm(x.id, p: p, axes: Array(2..<max(rank, 3)), rank: rank), x.element)
      ]
    },
  ]

  private static func global(
    _ name: String, _ kind: PoolingOperator.Kind, _ mode: ReductionMode
  ) -> NodeReader {
    NodeReader(name, as: [PoolingOperator.self, ReduceAxesOperator.self]) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      guard rank >= 3 else { throw node.invalid("the input has \(rank) axes, expected 3 or more.") }
      if rank == 4 {
        return [ONNXTensor(try node.add(PoolingOperator.global(kind), x.id), x.element)]
      }
      let made = try node.reduced(x.id, mode, Array(2..<rank), keepsAxes: true, rank: rank)
      return [ONNXTensor(made, x.element)]
    }
  }
}

extension ONNXNode {
  /// Computes the norm (Σ |x|^p)^(1/p) over axes. These axes stay, with extent one.
  func norm(_ x: Graph.ValueID, p: Int, axes: [Int], rank: Int) throws -> Graph.ValueID {
    if p == 1 || p == 2 {
      return try reduced(x, p == 1 ? .l1 : .l2, axes, keepsAxes: true, rank: rank)
    }
    let powers = try add(UnaryOperator(.power(alpha: Float(p))), map(.magnitude, x))
    let sum = try reduced(powers, .sum, axes, keepsAxes: true, rank: rank)
    return try add(UnaryOperator(.power(alpha: 1 / Float(p))), sum)
  }

  /// Adds one pooling operator if a kernel can compute the node. Otherwise builds the pooling from slices.
  fileprivate func pooled(_ kind: PoolingOperator.Kind) throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let rank: Int = try rank(x)
    let axes: Int = rank - 2
    var windows = try Windows(self, axes: axes)
    let isComplete: Bool = flag("ceil_mode")
    let excludesPadding: Bool = kind == .average && !flag("count_include_pad")
    let isPlain: Bool =
      windows.dilations.allSatisfy { $0 == 1 } && !x.element.isHeldAsInteger
      && (axes <= 2 || axes == 3 && !isComplete && kind != .l2)
    var padding: PoolingOperator.Padding = .same(topLeftHeavy: false)
    var isSymmetric = true
    if case .amounts(let before, let after) = windows.padding {
      // If the stride exceeds the window and there is no padding, the graph's operator would add a window that starts
      // after the end of the input. So it cannot compute such a node.
      isSymmetric =
        before == after
        && before.indices.allSatisfy {
          before[$0] > 0 || windows.strides[$0] <= windows.kernel[$0]
        }
    }
    guard isPlain, !isComplete || isSymmetric && windows.padding != .same(startHeavy: true)
    else { return try pooledWindows(kind) }
    if axes == 3 {
      return ONNXTensor(
        try add(
          Pooling3DOperator(
            isMaximum: kind == .maximum, kernel: windows.kernel, stride: windows.strides,
            padding: windows.padding.forPooling3D, excludesPadding: excludesPadding), x.id),
        x.element)
    }
    if axes == 1 { windows.expand() }
    switch windows.padding {
    case .same(let startHeavy): padding = .same(topLeftHeavy: startHeavy)
    case .amounts(let before, let after):
      padding =
        isComplete
        ? .ceiling(height: before[0], width: before[1])
        : .valid(top: before[0], bottom: after[0], left: before[1], right: after[1])
    }
    let picture: Graph.ValueID = axes == 1 ? try stretched(x.id, [-2]) : x.id
    let made = try add(
      PoolingOperator(
        kind, kernelHeight: windows.kernel[0], kernelWidth: windows.kernel[1],
        strideHeight: windows.strides[0], strideWidth: windows.strides[1], padding: padding,
        excludesPadding: excludesPadding), picture)
    return ONNXTensor(axes == 1 ? try add(SqueezeOperator(axes: [-2]), made) : made, x.element)
  }
}
