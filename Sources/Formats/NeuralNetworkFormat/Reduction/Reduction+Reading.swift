import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// Layers that reduce, sort, or compute argmax, top-k or cumulative sums along axes.
  package static let reduction: [LayerReader] =
    [LayerReader("reduce", ReduceOperator.init(reading:))]
    + ReduceAxesLayer.all.map(\.reader) + positions + [
      LayerReader("argSort") { decoder in
        try decoder.requireInputs(1...1)
        guard case .argSort(let message)? = decoder.message.layer else {
          preconditionFailure("the catalogue decodes by field")
        }
        return ArgSortOperator(
          axis: try decoder.integer(message.axis, "the axis"), isDescending: message.descending)
      },
      LayerReader("topK") { decoder in
        try decoder.requireInputs(1...2)
        guard case .topK(let message)? = decoder.message.layer else {
          preconditionFailure("the catalogue decodes by field")
        }
        return TopKOperator(
          axis: try decoder.integer(message.axis, "the axis"),
          count: try decoder.size(message.k, "K"), isBottom: message.useBottomK)
      },
      LayerReader("cumSum") { decoder in
        try decoder.requireInputs(1...2)
        guard case .cumSum(let message)? = decoder.message.layer else {
          preconditionFailure("the catalogue decodes by field")
        }
        return CumSumOperator(
          axis: try decoder.integer(message.axis, "the axis"),
          isExclusive: message.excludeFinalSum, isReversed: message.reverse)
      },
    ]

  /// Argmax and argmin.
  private static let positions: [LayerReader] = [
    position("argMax", .indexOfMaximum) {
      if case .argMax(let it) = $0 { (it.axis, it.removeDim) } else { nil }
    },
    position("argMin", .indexOfMinimum) {
      if case .argMin(let it) = $0 { (it.axis, it.removeDim) } else { nil }
    },
  ]

  private static func position(
    _ field: String, _ mode: ReductionMode,
    _ read: @escaping @Sendable (Spec.NeuralNetworkLayer.OneOfLayer) -> (Int64, Bool)?
  ) -> LayerReader {
    LayerReader(
      field, ReduceAxesOperator.self,
      declaration: OperatorDeclaration(mode.name, summary: mode.summary)
    ) { decoder in
      try decoder.requireInputs(1...1)
      guard let (axis, removesAxis) = decoder.message.layer.flatMap(read) else {
        preconditionFailure("the catalogue decodes by field")
      }
      let axes: [Int] = [try decoder.integer(axis, "the axis")]
      return DecodedLayer(ReduceAxesOperator(mode, axes: axes, keepsAxes: !removesAxis))
    }
  }
}

extension ReduceOperator {
  /// Reads a reduction. An epsilon that is 0 or unset means 1e−6.
  fileprivate init(reading decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .reduce(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let axes: [Int]
    switch message.axis {
    case .chw: axes = [-3, -2, -1]
    case .hw: axes = [-2, -1]
    case .c: axes = [-3]
    case .h: axes = [-2]
    case .w: axes = [-1]
    case .unrecognized(let number):
      throw decoder.invalid("the axis has the number \(number), expected 0 to 4.")
    }
    let mode: ReductionMode
    switch message.mode {
    case .sum: mode = .sum
    case .avg: mode = .mean
    case .prod: mode = .product
    case .logsum: mode = .sumOfLogs(epsilon: message.epsilon == 0 ? 1e-6 : message.epsilon)
    case .sumsquare: mode = .sumOfSquares
    case .l1: mode = .l1
    case .l2: mode = .l2
    case .max: mode = .maximum
    case .min: mode = .minimum
    case .argmax: mode = .indexOfMaximum
    case .unrecognized(let number):
      throw decoder.invalid("the mode has the number \(number), expected 0 to 9.")
    }
    guard mode != .indexOfMaximum || axes.count == 1 else {
      throw decoder.invalid(
        "argmax is asked for over \(axes.count) axes, expected one of C, H and W.")
    }
    self.init(mode, axes: axes)
  }
}
