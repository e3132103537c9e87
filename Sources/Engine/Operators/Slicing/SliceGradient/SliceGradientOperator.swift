import Backends
import Graph

/// The gradient of a slice: puts what was taken back to its place among zeros.
///
/// - Input: a tensor of the slice's shape.
/// - Output: the shape that was sliced.
///
/// Made by differentiation only; no model holds it.
public struct SliceGradientOperator: DerivedOperator {
  public static let declaration = OperatorDeclaration(
    "SliceGradient", specification: nil, summary: "what a slice took, put back among zeros")

  /// What was taken of each axis.
  public let slices: [AxisSlice]
  /// What it was taken from.
  public let shape: Shape

  /// The gradient of slices of a shape.
  public init(slices: [AxisSlice], of shape: Shape) {
    self.slices = slices
    self.shape = shape
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let taken: Shape = try ResolvedSlices(slices, of: shape).shape
    guard let input = inputs.first, inputs.count == 1, input.shape == taken else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs.first?.shape ?? []), expected \(taken), what the slices take of \(shape)."
      )
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let resolved = try ResolvedSlices(slices, of: shape)
    var result = ReferenceTensor(shape)
    inputs[0].shape.forEachIndex { index, position in
      var target: [Int] = resolved.ranges.map(\.first)
      for (place, axis) in resolved.kept.enumerated() {
        target[axis] += index[place] * resolved.strides[axis]
      }
      result[target] = inputs[0].values[position]
    }
    return [result]
  }

  public var kernels: [KernelCandidate] {
    [
      .moves("native slice gradient", fill: 0) { _, _ in
        [try ResolvedSlices(slices, of: shape).reversedMove]
      }
    ]
  }

  public static var samples: [OperatorSample] {
    let columns = SliceGradientOperator(
      slices: [AxisSlice(), AxisSlice(begin: 1, end: 3)], of: [2, 4])
    let backwards = SliceGradientOperator(
      slices: [AxisSlice(begin: 1, isSqueezed: true), AxisSlice(stride: -2)], of: [2, 4])
    let picture = SliceGradientOperator(
      slices: [
        AxisSlice(), AxisSlice(begin: 1, end: 6, stride: 2), AxisSlice(begin: -3),
        AxisSlice(stride: -1),
      ], of: [2, 7, 5, 6])
    return [
      OperatorSample(
        "columns", derived: columns, inputs: [([2, 2], .values([1, 2, 3, 4]))],
        expected: [ReferenceTensor([2, 4], [0, 1, 2, 0, 0, 3, 4, 0])], tolerance: .exact),
      OperatorSample(
        "a row backwards", derived: backwards, inputs: [([2], .values([1, 2]))],
        expected: [ReferenceTensor([2, 4], [0, 0, 0, 0, 0, 2, 0, 1])], tolerance: .exact),
      OperatorSample(
        "a picture", derived: picture, inputs: [([2, 3, 3, 6], .uniform(-1...1))],
        tolerance: .exact),
      OperatorSample(
        "another shape", derived: columns, inputs: [([2, 3], .uniform(-1...1))],
        failure: "the gradient is 2 × 3, expected 2 × 2"),
    ]
  }
}

extension ResolvedSlices {
  /// What was taken, moved back. Loops that ran backwards run forwards, reading from the end.
  fileprivate var reversedMove: Move {
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
