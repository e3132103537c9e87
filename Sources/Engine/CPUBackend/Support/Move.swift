import Operators
import Graph

/// A block of elements that an operator copies from an input to an output, told by axes and indices
/// rather than addresses, so that it holds in any layout.
///
/// The block is an iteration space: one ``Dimension`` a nested loop. Every loop walks along at most
/// one axis of the input and one of the output, so that permutations, slices (backwards too),
/// repetitions and rearrangements of blocks are all single moves.
package struct Move: Sendable {
  /// One loop of the block.
  package struct Dimension: Sendable {
    /// The number of rounds.
    package var extent: Int
    /// The input's axis that the loop walks along; nil when it reads the same place each round.
    package var sourceAxis: Int?
    /// Indices between rounds along the input's axis; may be negative.
    package var sourceStep: Int = 1
    /// The output's axis that the loop walks along.
    package var targetAxis: Int
    /// Indices between rounds along the output's axis; positive.
    package var targetStep: Int = 1

    /// A loop of so many rounds.
    package init(
      extent: Int, sourceAxis: Int?, sourceStep: Int = 1, targetAxis: Int, targetStep: Int = 1
    ) {
      self.extent = extent
      self.sourceAxis = sourceAxis
      self.sourceStep = sourceStep
      self.targetAxis = targetAxis
      self.targetStep = targetStep
    }
  }

  /// The input that is read.
  package var input: Int = 0
  /// The output that is written.
  package var output: Int = 0
  /// The index of the first element read, one an axis.
  package var sourceStart: [Int]
  /// The index of the first element written, one an axis.
  package var targetStart: [Int]
  /// The loops, in any order.
  package var dimensions: [Dimension]

  /// A block of the given extents whose axes are the same in input and output: slices, borders,
  /// concatenation.
  package init(
    input: Int = 0, output: Int = 0, extents: [Int], from sourceStart: [Int]? = nil,
    to targetStart: [Int]? = nil, sourceSteps: [Int]? = nil, targetSteps: [Int]? = nil
  ) {
    self.input = input
    self.output = output
    let zeros: [Int] = [Int](repeating: 0, count: extents.count)
    self.sourceStart = sourceStart ?? zeros
    self.targetStart = targetStart ?? zeros
    dimensions = extents.indices.map { axis -> Dimension in
      Dimension(
        extent: extents[axis], sourceAxis: axis, sourceStep: sourceSteps?[axis] ?? 1,
        targetAxis: axis, targetStep: targetSteps?[axis] ?? 1)
    }
  }

  /// A whole input, starting at index zero on both sides, with free loops.
  package init(
    input: Int = 0, output: Int = 0, sourceRank: Int, targetRank: Int, dimensions: [Dimension]
  ) {
    self.input = input
    self.output = output
    sourceStart = [Int](repeating: 0, count: sourceRank)
    targetStart = [Int](repeating: 0, count: targetRank)
    self.dimensions = dimensions
  }

  /// The number of elements that are moved.
  package var count: Int { dimensions.reduce(1) { $0 * $1.extent } }
}

/// A move in elements of memory, for tensors of known layouts: what the strided copy takes.
package struct MemoryMove: Sendable, Equatable {
  /// The rounds of each loop, outermost first; never empty, no ones but for a single element.
  package var extents: [Int]
  /// Elements between rounds in the input.
  package var sourceStrides: [Int]
  /// Elements between rounds in the output.
  package var targetStrides: [Int]
  /// The first element read.
  package var sourceOffset: Int
  /// The first element written.
  package var targetOffset: Int

  /// Resolves a move against the layouts of its tensors: loops are ordered by their stride in the
  /// output, and neighbours that run on without a gap on both sides become one.
  package init(_ move: Move, source: TensorDescriptor, target: TensorDescriptor) {
    let from: [Int] = source.strides
    let to: [Int] = target.strides
    sourceOffset = zip(move.sourceStart, from).reduce(0) { $0 + $1.0 * $1.1 }
    targetOffset = zip(move.targetStart, to).reduce(0) { $0 + $1.0 * $1.1 }
    var loops: [(extent: Int, source: Int, target: Int)] = []
    for dimension in move.dimensions where dimension.extent != 1 {
      let read: Int = dimension.sourceAxis.map { from[$0] * dimension.sourceStep } ?? 0
      loops.append((dimension.extent, read, to[dimension.targetAxis] * dimension.targetStep))
    }
    loops.sort { $0.target > $1.target }
    var merged: [(extent: Int, source: Int, target: Int)] = []
    for loop in loops {
      if let outer = merged.last, outer.source == loop.source * loop.extent,
        outer.target == loop.target * loop.extent
      {
        merged[merged.count - 1] = (outer.extent * loop.extent, loop.source, loop.target)
      } else {
        merged.append(loop)
      }
    }
    if merged.isEmpty { merged = [(1, 1, 1)] }
    extents = merged.map(\.extent)
    sourceStrides = merged.map(\.source)
    targetStrides = merged.map(\.target)
  }

  /// Whether the whole of a memory of the given count is moved onto itself.
  package func isIdentity(count: Int) -> Bool {
    extents == [count] && sourceStrides == [1] && targetStrides == [1]
      && sourceOffset == 0 && targetOffset == 0
  }
}
