import Backends
import Graph
import Operators

extension PermuteOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native permute") { inputs, outputs in
        [.permutation(sources(rank: inputs[0].rank), of: inputs[0])]
      }
    ]
  }
}

extension TransposeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native transpose") { inputs, _ in
        [.permutation(axes(of: inputs[0]) ?? axes, of: inputs[0])]
      }
    ]
  }
}

extension ReorganizeDataOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.moves("native reorganize") { inputs, outputs in [move(inputs[0], outputs[0])] }]
  }

  private func move(_ input: Shape, _ output: Shape) -> Move {
    let rank: Int = input.rank
    let (channel, row, column) = (rank - 3, rank - 2, rank - 1)
    let packed: Shape = mode.packs ? output : input
    let channels: Int = (mode.packs ? input : output)[channel]
    let inner: Int = mode.isInnermost ? 1 : channels
    let outer: Int = mode.isInnermost ? area : 1
    // Each loop has an axis and a step in both images: `packed` in the packed image (many channels), `spread` in the
    // unpacked image (few channels).
    let loops: [(extent: Int, packed: (Int, Int), spread: (Int, Int))] = [
      (blockHeight, (channel, inner * blockWidth), (row, 1)),
      (blockWidth, (channel, inner), (column, 1)),
      (channels, (channel, outer), (channel, 1)),
      (packed[row], (row, 1), (row, blockHeight)),
      (packed[column], (column, 1), (column, blockWidth)),
    ]
    var dimensions: [Move.Dimension] = (0..<rank - 3).map { axis -> Move.Dimension in
      Move.Dimension(extent: input[axis], sourceAxis: axis, targetAxis: axis)
    }
    for loop in loops {
      let (source, target) =
        mode.packs ? (loop.spread, loop.packed) : (loop.packed, loop.spread)
      dimensions.append(
        Move.Dimension(
          extent: loop.extent, sourceAxis: source.0, sourceStep: source.1,
          targetAxis: target.0, targetStep: target.1))
    }
    return Move(sourceRank: rank, targetRank: rank, dimensions: dimensions)
  }
}

extension Move {
  /// Moves the whole input with its axes permuted. Output axis *i* is the input's axis `order[i]`.
  package static func permutation(_ order: [Int], of shape: Shape) -> Move {
    let dimensions: [Dimension] = order.enumerated().map { axis, source -> Dimension in
      Dimension(extent: shape[source], sourceAxis: source, targetAxis: axis)
    }
    return Move(sourceRank: shape.rank, targetRank: shape.rank, dimensions: dimensions)
  }
}
