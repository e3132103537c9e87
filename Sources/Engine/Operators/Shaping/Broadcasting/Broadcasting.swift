import Backends
import Graph

/// The shape of a tensor stretched to a target, as NumPy broadcasts: axes are aligned at the last,
/// and only an extent of one stretches.
package func stretchedShape(_ input: Shape, to target: [Int]) throws -> Shape {
  let shape: Shape = try Shape.checked(target)
  guard Shape.broadcast(input, shape) == shape else {
    throw EngineError(
      .invalidInput,
      "the input (\(input)) does not stretch to \(shape): sizes must agree or be 1, counted from the last."
    )
  }
  return shape
}

/// A tensor stretched to a shape, in plain loops.
package func stretched(_ input: ReferenceTensor, to shape: Shape) -> ReferenceTensor {
  let source: ReferenceTensor = input.reshaped(to: input.shape.padded(toRank: shape.rank))
  return ReferenceTensor(shape) { index in
    source[zip(index, source.shape.dimensions).map { $1 == 1 ? 0 : $0 }]
  }
}

extension Move {
  /// The whole input, repeated along the axes that stretch.
  package static func stretching(_ input: Shape, to output: Shape) -> Move {
    let missing: Int = output.rank - input.rank
    let dimensions: [Dimension] = (0..<output.rank).map { axis -> Dimension in
      let source: Int? = axis >= missing && input[axis - missing] != 1 ? axis - missing : nil
      return Dimension(extent: output[axis], sourceAxis: source, targetAxis: axis)
    }
    return Move(sourceRank: input.rank, targetRank: output.rank, dimensions: dimensions)
  }
}

extension KernelCandidate {
  /// Stretches the first input to the output's shape.
  package static let stretch = moves("native broadcast") { inputs, outputs in
    [.stretching(inputs[0], to: outputs[0])]
  }
}
