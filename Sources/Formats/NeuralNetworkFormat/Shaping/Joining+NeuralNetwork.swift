import Graph
import ModelFormat
import Operators

extension ConcatOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .concat(let message)? = decoder.message.layer else {
      throw decoder.notA("concat")
    }
    try decoder.requireInputs(1...Int.max)
    self.init(joinsSequence: message.sequenceConcat)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .concat(.making { $0.sequenceConcat = joinsSequence })
  }
}

extension ConcatNDOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .concatND(let message)? = decoder.message.layer else {
      throw decoder.notA("concatND")
    }
    try decoder.requireInputs(1...Int.max)
    self.init(
      axis: try decoder.integer(message.axis, "axis"), isInterleaved: message.interleave)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .concatND(
      .making {
        $0.axis = Int64(axis)
        $0.interleave = isInterleaved
      })
  }
}

extension StackOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .stack(let message)? = decoder.message.layer else { throw decoder.notA("stack") }
    try decoder.requireInputs(1...Int.max)
    self.init(axis: try decoder.integer(message.axis, "axis"))
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .stack(.making { $0.axis = Int64(axis) })
  }
}

extension SplitOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .split(let message)? = decoder.message.layer else {
      throw decoder.notA("split")
    }
    try decoder.requireInputs(1...1)
    let count: Int = try decoder.size(message.nOutputs, "nOutputs")
    guard count > 0 else { throw decoder.invalid("nOutputs is 0, expected at least 1.") }
    try decoder.requireOutputs(count)
    self.init(outputCount: count)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .split(.making { $0.nOutputs = UInt64(outputCount) })
  }
}

extension SplitNDOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .splitND(let message)? = decoder.message.layer else {
      throw decoder.notA("splitND")
    }
    try decoder.requireInputs(1...1)
    let axis: Int = try decoder.integer(message.axis, "axis")
    let sizes: [Int] = try decoder.sizes(message.splitSizes, "splitSizes")
    if sizes.isEmpty {
      let count: Int = try decoder.size(message.numSplits, "numSplits")
      guard count > 0 else { throw decoder.invalid("numSplits is 0, expected at least 1.") }
      try decoder.requireOutputs(count)
      self.init(axis: axis, parts: .count(count))
    } else {
      try decoder.requireOutputs(sizes.count)
      self.init(axis: axis, parts: .sizes(sizes))
    }
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .splitND(
      .making {
        $0.axis = Int64(axis)
        switch parts {
        case .count(let count): $0.numSplits = UInt64(count)
        case .sizes(let sizes): $0.splitSizes = sizes.sizes
        }
      })
  }
}
