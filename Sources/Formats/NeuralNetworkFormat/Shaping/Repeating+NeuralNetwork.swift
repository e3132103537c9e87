import Graph
import ModelFormat
import Operators

extension SequenceRepeatOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .sequenceRepeat(let message)? = decoder.message.layer else {
      throw decoder.notA("sequenceRepeat")
    }
    try decoder.requireInputs(1...1)
    self.init(repetitions: max(1, try decoder.size(message.nRepetitions, "nRepetitions")))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .sequenceRepeat(.making { $0.nRepetitions = UInt64(repetitions) })
  }
}

extension TileOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .tile(let message)? = decoder.message.layer else { throw decoder.notA("tile") }
    try decoder.requireInputs(1...2)
    if decoder.inputCount == 2 {
      self.init(repetitions: nil)
    } else {
      self.init(repetitions: try decoder.sizes(message.reps, "reps"))
    }
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .tile(.making { $0.reps = (repetitions ?? []).sizes })
  }
}

extension BroadcastToStaticOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .broadcastToStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("broadcastToStatic")
    }
    try decoder.requireInputs(1...1)
    self.init(targetShape: try decoder.sizes(message.targetShape, "targetShape"))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .broadcastToStatic(.making { $0.targetShape = targetShape.sizes })
  }
}

extension BroadcastToLikeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .broadcastToLike? = decoder.message.layer else {
      throw decoder.notA("broadcastToLike")
    }
    try decoder.requireInputs(2...2)
    self.init()
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .broadcastToLike(.init())
  }
}

extension BroadcastToDynamicOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .broadcastToDynamic? = decoder.message.layer else {
      throw decoder.notA("broadcastToDynamic")
    }
    try decoder.requireInputs(2...2)
    self.init()
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .broadcastToDynamic(.init())
  }
}
