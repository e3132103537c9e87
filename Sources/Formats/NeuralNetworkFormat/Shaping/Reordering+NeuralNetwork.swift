import Graph
import ModelFormat
import Operators

extension PermuteOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .permute(let message)? = decoder.message.layer else {
      throw decoder.notA("permute")
    }
    try decoder.requireInputs(1...1)
    let axes: [Int] = try decoder.sizes(message.axis, "axis")
    guard axes.isEmpty || axes.sorted() == [0, 1, 2, 3] else {
      throw decoder.invalid("axis is \(axes), expected a permutation of [0, 1, 2, 3].")
    }
    self.init(axes: axes.isEmpty ? [0, 1, 2, 3] : axes)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .permute(.making { $0.axis = axes.sizes })
  }
}

extension TransposeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .transpose(let message)? = decoder.message.layer else {
      throw decoder.notA("transpose")
    }
    try decoder.requireInputs(1...1)
    // The field is unsigned. For a negative axis, which counts from the end, builders write the two's-complement bits.
    let axes: [Int] = try message.axes.map {
      try decoder.integer(Int64(bitPattern: $0), "axes")
    }
    self.init(axes: axes.map { $0 < 0 ? $0 + axes.count : $0 })
    guard self.axes.sorted() == Array(axes.indices) else {
      throw decoder.invalid(
        "axes is \(axes), expected a permutation of 0 to \(axes.count - 1).")
    }
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .transpose(.making { $0.axes = axes.sizes })
  }
}

extension ReorganizeDataOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .reorganizeData(let message)? = decoder.message.layer else {
      throw decoder.notA("reorganizeData")
    }
    try decoder.requireInputs(1...1)
    let size: Int = try decoder.size(message.blockSize, "blockSize")
    guard (2...65536).contains(size) else {
      throw decoder.invalid("blockSize is \(size), expected 2 to 65536.")
    }
    switch message.mode {
    case .spaceToDepth: self.init(mode: .spaceToDepth, blockSize: size)
    case .depthToSpace: self.init(mode: .depthToSpace, blockSize: size)
    case .pixelShuffle: self.init(mode: .pixelShuffle, blockSize: size)
    case .unrecognized(let value):
      throw decoder.invalid("mode is \(value), expected 0 to 2.")
    }
  }

  public func encode(into encoder: inout LayerEncoder) throws {
    guard blockHeight == blockWidth, blockHeight > 1 else {
      throw EngineError(
        .unsupported,
        "blocks of \(blockHeight) × \(blockWidth) pixels have no layer, which takes square blocks of 2 or more."
      )
    }
    var message = Spec.ReorganizeDataLayerParams()
    switch mode {
    case .spaceToDepth: message.mode = .spaceToDepth
    case .depthToSpace: message.mode = .depthToSpace
    case .pixelShuffle: message.mode = .pixelShuffle
    case .pixelUnshuffle:
      throw EngineError(.unsupported, "no layer moves pixels into channels channel by channel.")
    }
    message.blockSize = UInt64(blockHeight)
    encoder.layer.layer = .reorganizeData(message)
  }
}
