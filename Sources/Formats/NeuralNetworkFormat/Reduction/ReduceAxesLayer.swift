import Graph
import ModelFormat
import Operators

/// A layer that stands for one of the ways in which named axes are folded.
package struct ReduceAxesLayer: Sendable {
  /// What such a layer says.
  package struct Parameters: Sendable {
    /// The axes; negative ones count from the end.
    package var axes: [Int64]
    /// Whether folded axes stay with an extent of one.
    package var keepsAxes: Bool
    /// Whether every axis is folded, whatever `axes` says.
    package var isAll: Bool

    /// What a layer says.
    package init(axes: [Int64], keepsAxes: Bool, isAll: Bool) {
      self.axes = axes
      self.keepsAxes = keepsAxes
      self.isAll = isAll
    }
  }

  /// The field of `NeuralNetworkLayer.layer`.
  package let field: String
  /// How values become one.
  package let mode: ReductionMode
  /// The layer that says so.
  package let layer: @Sendable (Parameters) -> Spec.NeuralNetworkLayer.OneOfLayer
  private let parameters: @Sendable (Spec.NeuralNetworkLayer.OneOfLayer) -> Parameters?

  /// All of them, in the order of listings.
  package static let all: [ReduceAxesLayer] = [
    ReduceAxesLayer("reduceSum", .sum, { .reduceSum($0) }) {
      if case .reduceSum(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceMean", .mean, { .reduceMean($0) }) {
      if case .reduceMean(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceProd", .product, { .reduceProd($0) }) {
      if case .reduceProd(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceL1", .l1, { .reduceL1($0) }) {
      if case .reduceL1(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceL2", .l2, { .reduceL2($0) }) {
      if case .reduceL2(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceMax", .maximum, { .reduceMax($0) }) {
      if case .reduceMax(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceMin", .minimum, { .reduceMin($0) }) {
      if case .reduceMin(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceLogSum", .logOfSum, { .reduceLogSum($0) }) {
      if case .reduceLogSum(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceSumSquare", .sumOfSquares, { .reduceSumSquare($0) }) {
      if case .reduceSumSquare(let it) = $0 { it } else { nil }
    },
    ReduceAxesLayer("reduceLogSumExp", .logOfSumOfExponentials, { .reduceLogSumExp($0) }) {
      if case .reduceLogSumExp(let it) = $0 { it } else { nil }
    },
  ]

  private init<Message: AxesMessage>(
    _ field: String, _ mode: ReductionMode,
    _ write: @escaping @Sendable (Message) -> Spec.NeuralNetworkLayer.OneOfLayer,
    _ read: @escaping @Sendable (Spec.NeuralNetworkLayer.OneOfLayer) -> Message?
  ) {
    self.field = field
    self.mode = mode
    layer = { it in
      var message = Message()
      (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
      return write(message)
    }
    parameters = { layer in
      read(layer).map { Parameters(axes: $0.axes, keepsAxes: $0.keepDims, isAll: $0.reduceAll) }
    }
  }

  /// Reads it; no axes named means all, as `reduceAll` does.
  var reader: LayerReader {
    LayerReader(
      field, ReduceAxesOperator.self,
      declaration: OperatorDeclaration(mode.name, summary: mode.summary)
    ) { decoder in
      try decoder.requireInputs(1...1)
      guard let it = decoder.message.layer.flatMap(parameters) else {
        preconditionFailure("the catalogue decodes by field")
      }
      let axes: [Int] = try it.axes.map { try decoder.integer($0, "an axis") }
      return DecodedLayer(
        ReduceAxesOperator(mode, axes: it.isAll ? [] : axes, keepsAxes: it.keepsAxes))
    }
  }
}

/// What the layers that fold named axes have in common.
private protocol AxesMessage: SendableMetatype {
  init()
  var axes: [Int64] { get set }
  var keepDims: Bool { get set }
  var reduceAll: Bool { get set }
}

extension Spec.ReduceSumLayerParams: AxesMessage {}
extension Spec.ReduceMeanLayerParams: AxesMessage {}
extension Spec.ReduceProdLayerParams: AxesMessage {}
extension Spec.ReduceL1LayerParams: AxesMessage {}
extension Spec.ReduceL2LayerParams: AxesMessage {}
extension Spec.ReduceMaxLayerParams: AxesMessage {}
extension Spec.ReduceMinLayerParams: AxesMessage {}
extension Spec.ReduceLogSumLayerParams: AxesMessage {}
extension Spec.ReduceSumSquareLayerParams: AxesMessage {}
extension Spec.ReduceLogSumExpLayerParams: AxesMessage {}
