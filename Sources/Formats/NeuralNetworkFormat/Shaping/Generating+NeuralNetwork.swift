import Graph
import ModelFormat
import Operators

extension FillStaticOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .fillStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("fillStatic")
    }
    try decoder.requireInputs(0...0)
    self.init(
      value: message.value, targetShape: try decoder.sizes(message.targetShape, "targetShape"))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .fillStatic(
      .making {
        $0.value = value
        $0.targetShape = targetShape.sizes
      })
  }
}

extension FillLikeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .fillLike(let message)? = decoder.message.layer else {
      throw decoder.notA("fillLike")
    }
    try decoder.requireInputs(1...1)
    self.init(value: message.value)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .fillLike(.making { $0.value = value })
  }
}

extension FillDynamicOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .fillDynamic(let message)? = decoder.message.layer else {
      throw decoder.notA("fillDynamic")
    }
    try decoder.requireInputs(1...1)
    self.init(value: message.value)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .fillDynamic(.making { $0.value = value })
  }
}

extension RangeStaticOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .rangeStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("rangeStatic")
    }
    try decoder.requireInputs(0...0)
    self.init(
      start: message.startValue, end: message.endValue, step: message.stepSizeValue)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .rangeStatic(
      .making {
        $0.startValue = start
        $0.endValue = end
        $0.stepSizeValue = step
      })
  }
}

extension RangeDynamicOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .rangeDynamic(let message)? = decoder.message.layer else {
      throw decoder.notA("rangeDynamic")
    }
    try decoder.requireInputs(1...3)
    self.init(start: message.startValue, step: message.stepSizeValue)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .rangeDynamic(
      .making {
        $0.startValue = start
        $0.stepSizeValue = step
      })
  }
}

extension GetShapeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .getShape? = decoder.message.layer else { throw decoder.notA("getShape") }
    try decoder.requireInputs(1...1)
    self.init()
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .getShape(.init())
  }
}
