import Graph
import ModelFormat
import Operators

extension ReduceOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.ReduceLayerParams()
    switch axes.sorted() {
    case [-3, -2, -1]: message.axis = .chw
    case [-2, -1]: message.axis = .hw
    case [-3]: message.axis = .c
    case [-2]: message.axis = .h
    case [-1]: message.axis = .w
    default:
      throw EngineError(
        .unsupported, "the axes are \(axes), expected those of CHW, HW, C, H or W (-3 to -1).")
    }
    switch mode {
    case .sum: message.mode = .sum
    case .mean: message.mode = .avg
    case .product: message.mode = .prod
    case .sumOfLogs(let epsilon):
      guard epsilon != 0 else {
        throw EngineError(
          .unsupported, "epsilon is 0, which a NeuralNetwork's layer reads as one millionth.")
      }
      (message.mode, message.epsilon) = (.logsum, epsilon)
    case .sumOfSquares: message.mode = .sumsquare
    case .l1: message.mode = .l1
    case .l2: message.mode = .l2
    case .maximum: message.mode = .max
    case .minimum: message.mode = .min
    case .indexOfMaximum where axes.count == 1: message.mode = .argmax
    case .indexOfMaximum, .indexOfMinimum, .logOfSum, .logOfSumOfExponentials:
      throw EngineError(
        .unsupported,
        "no layer of a NeuralNetwork computes \(mode.summary) for axes that count from the end.")
    }
    encoder.layer.layer = .reduce(message)
  }
}

extension ReduceAxesOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    if let row = ReduceAxesLayer.all.first(where: { $0.mode == mode }) {
      encoder.layer.layer = row.layer(
        .init(axes: axes.map(Int64.init), keepsAxes: keepsAxes, isAll: axes.isEmpty))
      return
    }
    switch mode {
    case .indexOfMaximum where axes.count == 1:
      var message = Spec.ArgMaxLayerParams()
      (message.axis, message.removeDim) = (Int64(axes[0]), !keepsAxes)
      encoder.layer.layer = .argMax(message)
    case .indexOfMinimum where axes.count == 1:
      var message = Spec.ArgMinLayerParams()
      (message.axis, message.removeDim) = (Int64(axes[0]), !keepsAxes)
      encoder.layer.layer = .argMin(message)
    default:
      throw EngineError(
        .unsupported, "no layer of a NeuralNetwork computes \(mode.summary) of the axes \(axes).")
    }
  }
}

extension ArgSortOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.ArgSortLayerParams()
    (message.axis, message.descending) = (Int64(axis), isDescending)
    encoder.layer.layer = .argSort(message)
  }
}

extension TopKOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.TopKLayerParams()
    (message.axis, message.k, message.useBottomK) = (Int64(axis), UInt64(count), isBottom)
    encoder.layer.layer = .topK(message)
  }
}

extension CumSumOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.CumSumLayerParams()
    (message.axis, message.excludeFinalSum, message.reverse) = (
      Int64(axis), isExclusive, isReversed
    )
    encoder.layer.layer = .cumSum(message)
  }
}
