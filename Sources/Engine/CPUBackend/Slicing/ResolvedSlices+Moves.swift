import Graph
import Operators

extension ResolvedSlices {
  /// The move that copies the slice out of the input.
  package var move: Move {
    let dimensions: [Move.Dimension] = kept.enumerated().map { position, axis -> Move.Dimension in
      Move.Dimension(
        extent: shape[position], sourceAxis: axis, sourceStep: strides[axis],
        targetAxis: position)
    }
    var move = Move(sourceRank: ranges.count, targetRank: shape.rank, dimensions: dimensions)
    move.sourceStart = ranges.map(\.first)
    return move
  }

  /// The move that copies a slice back into the input. Where a slice has a negative step, the loop runs forwards
  /// through the input, and reads the slice from its end.
  package var reversedMove: Move {
    var starts: [Int] = ranges.map(\.first)
    var origins = [Int](repeating: 0, count: shape.rank)
    let dimensions: [Move.Dimension] = kept.enumerated().map { position, axis -> Move.Dimension in
      let isBackwards: Bool = strides[axis] < 0
      if isBackwards {
        starts[axis] += (shape[position] - 1) * strides[axis]
        origins[position] = shape[position] - 1
      }
      return Move.Dimension(
        extent: shape[position], sourceAxis: position, sourceStep: isBackwards ? -1 : 1,
        targetAxis: axis, targetStep: abs(strides[axis]))
    }
    var move = Move(sourceRank: shape.rank, targetRank: ranges.count, dimensions: dimensions)
    move.sourceStart = origins
    move.targetStart = starts
    return move
  }
}
