import Backends
import Graph
import Operators

extension ConcatOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native concat") { inputs, _ in
        Move.joining(inputs, axis: inputs[0].rank + axis)
      }
    ]
  }
}

extension ConcatNDOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native concat") { inputs, outputs in
        let axis: Int = try outputs[0].axis(axis)
        guard isInterleaved else { return Move.joining(inputs, axis: axis) }
        return inputs.enumerated().map { position, shape -> Move in
          var start = [Int](repeating: 0, count: shape.rank)
          var steps = [Int](repeating: 1, count: shape.rank)
          start[axis] = position
          steps[axis] = inputs.count
          return Move(
            input: position, extents: shape.dimensions, to: start, targetSteps: steps)
        }
      }
    ]
  }
}

extension StackOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native stack") { inputs, outputs in
        let axis: Int = try outputAxis(inputs[0])
        return inputs.enumerated().map { position, shape -> Move in
          let dimensions: [Move.Dimension] = shape.dimensions.indices.map { source in
            Move.Dimension(
              extent: shape[source], sourceAxis: source,
              targetAxis: source < axis ? source : source + 1)
          }
          var move = Move(
            input: position, sourceRank: shape.rank, targetRank: shape.rank + 1,
            dimensions: dimensions)
          move.targetStart[axis] = position
          return move
        }
      }
    ]
  }
}

extension SplitOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native split") { inputs, outputs in
        Move.splitting(outputs, axis: inputs[0].rank - 3)
      }
    ]
  }
}

extension SplitNDOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native split") { inputs, outputs in
        Move.splitting(outputs, axis: try inputs[0].axis(axis))
      }
    ]
  }
}

extension Move {
  /// Returns the moves of the inputs to consecutive blocks of the output.
  package static func joining(_ shapes: [Shape], axis: Int) -> [Move] {
    var start = 0
    return shapes.enumerated().map { position, shape -> Move in
      var target = [Int](repeating: 0, count: shape.rank)
      target[axis] = start
      start += shape[axis]
      return Move(input: position, extents: shape.dimensions, to: target)
    }
  }

  /// Returns the moves of consecutive blocks of the input to the outputs.
  package static func splitting(_ outputs: [Shape], axis: Int) -> [Move] {
    var start = 0
    return outputs.enumerated().map { position, shape -> Move in
      var source = [Int](repeating: 0, count: shape.rank)
      source[axis] = start
      start += shape[axis]
      return Move(output: position, extents: shape.dimensions, from: source)
    }
  }
}
