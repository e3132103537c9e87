import Operators
import Graph

/// A block of elements that an operator copies from an input to an output, described by axes and indices instead of
/// addresses. The description is thus valid for any layout.
///
/// The block is a nest of loops, one for each ``Dimension``. Every loop moves along one axis of the output, and along
/// at most one axis of the input. Permutations, slices (also with negative steps), repetitions and rearrangements of
/// blocks are thus all single moves.
package struct Move: Sendable {
  /// One loop of the block.
  package struct Dimension: Sendable {
    /// The number of iterations.
    package var extent: Int
    /// The input's axis along which the loop moves. Nil if every iteration reads the same index.
    package var sourceAxis: Int?
    /// The step per iteration along the input's axis. It may be negative.
    package var sourceStep: Int = 1
    /// The output's axis along which the loop moves.
    package var targetAxis: Int
    /// The step per iteration along the output's axis. It is positive.
    package var targetStep: Int = 1

    /// Creates a loop with this many iterations.
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

  /// The index of the input.
  package var input: Int = 0
  /// The index of the output.
  package var output: Int = 0
  /// For each axis of the input: the index of the first element that is read.
  package var sourceStart: [Int]
  /// For each axis of the output: the index of the first element that is written.
  package var targetStart: [Int]
  /// The loops, in any order.
  package var dimensions: [Dimension]

  /// Creates a block of the given extents with the same axes in input and output, as for slices, padding or
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

  /// Creates a move of a whole input with the given loops. The move starts at index 0 in the input and in the output.
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

/// A move between tensors of known layouts, with strides and offsets in elements, as the strided copy needs it.
package struct MemoryMove: Sendable, Equatable {
  /// The number of iterations of each loop, outermost first. There is always at least one loop. Loops of one iteration
  /// are left out, unless the move copies a single element.
  package var extents: [Int]
  /// The stride of each loop in the input, in elements.
  package var sourceStrides: [Int]
  /// The stride of each loop in the output, in elements.
  package var targetStrides: [Int]
  /// The offset in the input of the first element read, in elements.
  package var sourceOffset: Int
  /// The offset in the output of the first element written, in elements.
  package var targetOffset: Int

  /// Resolves a move for the layouts of its tensors. Sorts the loops by their stride in the output, and merges adjacent
  /// loops that are contiguous in both tensors.
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

  /// Returns whether the move copies `count` elements, the whole of both tensors, without changing their positions in
  /// memory.
  package func isIdentity(count: Int) -> Bool {
    extents == [count] && sourceStrides == [1] && targetStrides == [1]
      && sourceOffset == 0 && targetOffset == 0
  }
}
