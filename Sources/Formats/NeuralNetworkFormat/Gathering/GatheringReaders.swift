import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// Layers that gather or scatter the elements at given indices, or that search for indices.
  package static var gathering: [LayerReader] {
    [
      .gather, .gatherND, .gatherAlongAxis, .scatter, .scatterND, .scatterAlongAxis, .oneHot,
      .whereNonZero, .whereBroadcastable, .nonMaximumSuppression,
    ]
  }
}

extension LayerReader {
  fileprivate static let gather = LayerReader("gather") { decoder -> GatherOperator in
    guard case .gather(let message)? = decoder.message.layer else {
      throw decoder.notA("gather")
    }
    try decoder.requireInputs(2...2)
    return GatherOperator(axis: try decoder.integer(message.axis, "axis"))
  }

  fileprivate static let gatherND = LayerReader("gatherND") { decoder -> GatherNDOperator in
    guard case .gatherND? = decoder.message.layer else { throw decoder.notA("gatherND") }
    try decoder.requireInputs(2...2)
    return GatherNDOperator()
  }

  fileprivate static let gatherAlongAxis = LayerReader("gatherAlongAxis") {
    decoder -> GatherAlongAxisOperator in
    guard case .gatherAlongAxis(let message)? = decoder.message.layer else {
      throw decoder.notA("gatherAlongAxis")
    }
    try decoder.requireInputs(2...2)
    return GatherAlongAxisOperator(axis: try decoder.integer(message.axis, "axis"))
  }

  fileprivate static let scatter = LayerReader("scatter") { decoder -> ScatterOperator in
    guard case .scatter(let message)? = decoder.message.layer else {
      throw decoder.notA("scatter")
    }
    try decoder.requireInputs(3...3)
    return ScatterOperator(
      axis: try decoder.integer(message.axis, "axis"),
      mode: try ScatterMode(message.mode, in: decoder))
  }

  fileprivate static let scatterND = LayerReader("scatterND") { decoder -> ScatterNDOperator in
    guard case .scatterND(let message)? = decoder.message.layer else {
      throw decoder.notA("scatterND")
    }
    try decoder.requireInputs(3...3)
    return ScatterNDOperator(mode: try ScatterMode(message.mode, in: decoder))
  }

  fileprivate static let scatterAlongAxis = LayerReader("scatterAlongAxis") {
    decoder -> ScatterAlongAxisOperator in
    guard case .scatterAlongAxis(let message)? = decoder.message.layer else {
      throw decoder.notA("scatterAlongAxis")
    }
    try decoder.requireInputs(3...3)
    return ScatterAlongAxisOperator(
      axis: try decoder.integer(message.axis, "axis"),
      mode: try ScatterMode(message.mode, in: decoder))
  }

  fileprivate static let oneHot = LayerReader("oneHot") { decoder -> OneHotOperator in
    guard case .oneHot(let message)? = decoder.message.layer else {
      throw decoder.notA("oneHot")
    }
    try decoder.requireInputs(1...2)
    return OneHotOperator(
      vectorSize: decoder.inputCount == 2
        ? nil : try decoder.size(message.oneHotVectorSize, "oneHotVectorSize"),
      axis: try decoder.integer(message.axis, "axis"), onValue: message.onValue,
      offValue: message.offValue)
  }

  fileprivate static let whereNonZero = LayerReader("whereNonZero") {
    decoder -> WhereNonZeroOperator in
    guard case .whereNonZero? = decoder.message.layer else {
      throw decoder.notA("whereNonZero")
    }
    try decoder.requireInputs(1...1)
    return WhereNonZeroOperator()
  }

  fileprivate static let whereBroadcastable = LayerReader("whereBroadcastable") {
    decoder -> WhereBroadcastableOperator in
    guard case .whereBroadcastable? = decoder.message.layer else {
      throw decoder.notA("whereBroadcastable")
    }
    try decoder.requireInputs(3...3)
    return WhereBroadcastableOperator()
  }

  fileprivate static let nonMaximumSuppression = LayerReader("nonMaximumSuppression") {
    decoder -> NonMaximumSuppressionOperator in
    guard case .nonMaximumSuppression(let message)? = decoder.message.layer else {
      throw decoder.notA("nonMaximumSuppression")
    }
    try decoder.requireInputs(2...5)
    try decoder.requireOutputs(4)
    return NonMaximumSuppressionOperator(
      overlapThreshold: message.iouThreshold, scoreThreshold: message.scoreThreshold,
      maximumBoxes: decoder.inputCount == 5
        ? nil : try decoder.size(message.maxBoxes, "maxBoxes"),
      isPerClass: message.perClassSuppression)
  }
}

extension ScatterMode {
  /// Converts the scatter mode that a message states.
  fileprivate init(_ mode: Spec.ScatterMode, in decoder: LayerDecoder) throws {
    switch mode {
    case .scatterUpdate: self = .update
    case .scatterAdd: self = .add
    case .scatterSub: self = .subtract
    case .scatterMul: self = .multiply
    case .scatterDiv: self = .divide
    case .scatterMax: self = .maximum
    case .scatterMin: self = .minimum
    case .unrecognized(let value):
      throw decoder.invalid("mode is \(value), expected 0 to 6.")
    }
  }
}
