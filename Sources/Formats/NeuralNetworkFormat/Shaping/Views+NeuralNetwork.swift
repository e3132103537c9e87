import Graph
import ModelFormat
import Operators

extension ReshapeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .reshape(let message)? = decoder.message.layer else {
      throw decoder.notA("reshape")
    }
    try decoder.requireInputs(1...1)
    let target: [Int] = try decoder.integers(message.targetShape, "targetShape")
    guard target.count == 3 || target.count == 4 else {
      throw decoder.invalid(
        "targetShape holds \(target.count) sizes, expected 3 (C, H, W) or 4 (sequence, C, H, W).")
    }
    let order: ChannelOrder
    switch message.mode {
    case .channelFirst: order = .channelFirst
    case .channelLast: order = .channelLast
    case .unrecognized(let value):
      throw decoder.invalid("mode is \(value), expected 0 (channel first) or 1 (channel last).")
    }
    self.init(targetShape: target, order: order)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .reshape(
      .making {
        $0.targetShape = targetShape.integers
        $0.mode = order == .channelFirst ? .channelFirst : .channelLast
      })
  }
}

extension FlattenOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .flatten(let message)? = decoder.message.layer else {
      throw decoder.notA("flatten")
    }
    try decoder.requireInputs(1...1)
    switch message.mode {
    case .channelFirst: self.init(order: .channelFirst)
    case .channelLast: self.init(order: .channelLast)
    case .unrecognized(let value):
      throw decoder.invalid("mode is \(value), expected 0 (channel first) or 1 (channel last).")
    }
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .flatten(
      .making { $0.mode = order == .channelFirst ? .channelFirst : .channelLast })
  }
}

extension ReshapeStaticOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .reshapeStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("reshapeStatic")
    }
    try decoder.requireInputs(1...1)
    self.init(targetShape: try decoder.integers(message.targetShape, "targetShape"))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .reshapeStatic(.making { $0.targetShape = targetShape.integers })
  }
}

extension ReshapeLikeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .reshapeLike? = decoder.message.layer else { throw decoder.notA("reshapeLike") }
    try decoder.requireInputs(2...2)
    self.init()
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .reshapeLike(.init())
  }
}

extension ReshapeDynamicOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .reshapeDynamic? = decoder.message.layer else {
      throw decoder.notA("reshapeDynamic")
    }
    try decoder.requireInputs(2...2)
    self.init()
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .reshapeDynamic(.init())
  }
}

extension RankPreservingReshapeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .rankPreservingReshape(let message)? = decoder.message.layer else {
      throw decoder.notA("rankPreservingReshape")
    }
    try decoder.requireInputs(1...1)
    self.init(targetShape: try decoder.integers(message.targetShape, "targetShape"))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .rankPreservingReshape(
      .making { $0.targetShape = targetShape.integers })
  }
}

extension ExpandDimsOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .expandDims(let message)? = decoder.message.layer else {
      throw decoder.notA("expandDims")
    }
    try decoder.requireInputs(1...1)
    self.init(
      axes: try decoder.integers(message.axes, "axes"),
      isOfScalar: decoder.network.scalars.contains(decoder.message.input[0]))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .expandDims(.making { $0.axes = axes.integers })
  }
}

extension SqueezeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .squeeze(let message)? = decoder.message.layer else {
      throw decoder.notA("squeeze")
    }
    try decoder.requireInputs(1...1)
    let axes: [Int] = try decoder.integers(message.axes, "axes")
    self.init(axes: message.squeezeAll || axes.isEmpty ? nil : axes)
  }

  public func encode(into encoder: inout LayerEncoder) throws {
    if axes?.isEmpty == true {
      throw EngineError(
        .unsupported,
        "a squeeze of no axes has no layer: a layer without axes removes all axes of extent 1.")
    }
    encoder.layer.layer = .squeeze(
      .making {
        $0.squeezeAll = axes == nil
        $0.axes = (axes ?? []).integers
      })
  }
}

extension FlattenTo2DOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .flattenTo2D(let message)? = decoder.message.layer else {
      throw decoder.notA("flattenTo2D")
    }
    try decoder.requireInputs(1...1)
    self.init(axis: try decoder.integer(message.axis, "axis"))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .flattenTo2D(.making { $0.axis = Int64(axis) })
  }
}
