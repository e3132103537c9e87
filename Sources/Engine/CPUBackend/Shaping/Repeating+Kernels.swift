import Backends
import Graph
import Operators

extension SequenceRepeatOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.moves("native repeat") { inputs, outputs in [.tiling(inputs[0], to: outputs[0])] }]
  }
}

extension TileOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.moves("native tile") { inputs, outputs in [.tiling(inputs[0], to: outputs[0])] }]
  }
}

extension BroadcastToStaticOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.broadcast] }
}

extension BroadcastToLikeOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.broadcast] }
}

extension BroadcastToDynamicOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.broadcast] }
}

extension Move {
  /// Moves the whole input, repeated along each axis until the output is full.
  package static func tiling(_ input: Shape, to output: Shape) -> Move {
    let source: Shape = input.padded(toRank: output.rank)
    let missing: Int = output.rank - input.rank
    var dimensions: [Dimension] = []
    for axis in 0..<output.rank {
      let extent: Int = source[axis]
      let count: Int = extent == 0 ? 0 : output[axis] / extent
      dimensions.append(
        Dimension(extent: count, sourceAxis: nil, targetAxis: axis, targetStep: extent))
      dimensions.append(
        Dimension(
          extent: extent, sourceAxis: axis >= missing ? axis - missing : nil, targetAxis: axis))
    }
    return Move(sourceRank: input.rank, targetRank: output.rank, dimensions: dimensions)
  }
}

extension Move {
  /// Moves the whole input, repeated along the broadcast axes.
  package static func broadcasting(_ input: Shape, to output: Shape) -> Move {
    let missing: Int = output.rank - input.rank
    let dimensions: [Dimension] = (0..<output.rank).map { axis -> Dimension in
      let source: Int? = axis >= missing && input[axis - missing] != 1 ? axis - missing : nil
      return Dimension(extent: output[axis], sourceAxis: source, targetAxis: axis)
    }
    return Move(sourceRank: input.rank, targetRank: output.rank, dimensions: dimensions)
  }
}

extension KernelCandidate {
  /// Broadcasts the first input to the output's shape.
  package static let broadcast = moves("native broadcast") { inputs, outputs in
    [.broadcasting(inputs[0], to: outputs[0])]
  }
}
