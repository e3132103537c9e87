import Graph
import ModelFormat
import Operators

/// A layer type that reduces a list of axes by one reduction mode.
package struct ReduceAxesLayer: Sendable {
  /// The parameters of a layer of such a type.
  package struct Parameters: Sendable {
    /// The axes to reduce. Negative numbers count from the last axis.
    package var axes: [Int64]
    /// Whether the reduced axes stay, with an extent of one.
    package var keepsAxes: Bool
    /// Whether every axis is reduced, regardless of `axes`.
    package var isAll: Bool

    /// Makes the parameters of a layer.
    package init(axes: [Int64], keepsAxes: Bool, isAll: Bool) {
      self.axes = axes
      self.keepsAxes = keepsAxes
      self.isAll = isAll
    }
  }

  /// The field of `NeuralNetworkLayer.layer` that holds this layer type.
  package let field: String
  /// The reduction mode.
  package let mode: ReductionMode
  /// Makes the layer's message.
  package let layer: @Sendable (Parameters) -> Spec.NeuralNetworkLayer.OneOfLayer
  private let parameters: @Sendable (Spec.NeuralNetworkLayer.OneOfLayer) -> Parameters?

  /// All layer types, in the order in which listings show them.
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

  /// The reader of this layer type. A layer that lists no axes reduces all axes, as with `reduceAll`.
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

/// The fields that the messages of all these layer types share.
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
