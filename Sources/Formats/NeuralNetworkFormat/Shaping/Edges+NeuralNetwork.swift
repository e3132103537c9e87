import Graph
import ModelFormat
import Operators

extension SliceOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .slice(let message)? = decoder.message.layer else {
      throw decoder.notA("slice")
    }
    try decoder.requireInputs(1...1)
    let axis: Axis
    switch message.axis {
    case .channelAxis: axis = .channel
    case .heightAxis: axis = .height
    case .widthAxis: axis = .width
    case .unrecognized(let value):
      throw decoder.invalid("axis is \(value), expected 0 (channel), 1 (height) or 2 (width).")
    }
    let stride: Int = try decoder.size(message.stride, "stride")
    guard stride > 0 else { throw decoder.invalid("stride is 0, expected at least 1.") }
    // If a slice has no end, writers often state the largest integer as its end.
    let end = Int(bounding: message.endIndex)
    self.init(
      axis: axis, start: try decoder.integer(message.startIndex, "startIndex"), end: end,
      stride: stride)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .slice(
      .making {
        switch axis {
        case .channel: $0.axis = .channelAxis
        case .height: $0.axis = .heightAxis
        case .width: $0.axis = .widthAxis
        }
        $0.startIndex = Int64(start)
        $0.endIndex = Int64(end)
        $0.stride = UInt64(stride)
      })
  }
}

extension CropOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .crop(let message)? = decoder.message.layer else {
      throw decoder.notA("crop")
    }
    try decoder.requireInputs(1...2)
    if decoder.inputCount == 1 {
      self.init(amounts: try EdgeAmounts(message.cropAmounts, "cropAmounts", in: decoder))
    } else {
      let (top, left) = try decoder.pair(message.offset, "offset", default: 0)
      self.init(referenceOffset: Offset(top: top, left: left))
    }
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .crop(
      .making {
        if let offset = referenceOffset {
          $0.offset = [offset.top, offset.left].sizes
        } else {
          $0.cropAmounts = amounts.message
        }
      })
  }
}

extension PaddingOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .padding(let message)? = decoder.message.layer else {
      throw decoder.notA("padding")
    }
    try decoder.requireInputs(1...1)
    let amounts = try EdgeAmounts(message.paddingAmounts, "paddingAmounts", in: decoder)
    let mode: Mode
    switch message.paddingType {
    case .constant(let constant)?: mode = .constant(constant.value)
    case .reflection?: mode = .reflection
    case .replication?: mode = .replication
    case nil: mode = .constant(0)
    }
    self.init(amounts: amounts, mode: mode)
  }

  public func encode(into encoder: inout LayerEncoder) {
    encoder.layer.layer = .padding(
      .making {
        $0.paddingAmounts = amounts.message
        switch mode {
        case .constant(let value): $0.paddingType = .constant(.making { $0.value = value })
        case .reflection: $0.paddingType = .reflection(.init())
        case .replication: $0.paddingType = .replication(.init())
        }
      })
  }
}

extension EdgeAmounts {
  /// Reads the amounts at each edge. The amounts are zero if the message is absent or empty.
  fileprivate init(_ message: Spec.BorderAmounts?, _ field: String, in decoder: LayerDecoder) throws
  {
    let edges: [Spec.BorderAmounts.EdgeSizes] = message?.borderAmounts ?? []
    if edges.isEmpty {
      self.init()
      return
    }
    guard edges.count == 2 else {
      throw decoder.invalid(
        "\(field) holds \(edges.count) pairs of edges, expected 2 (height, width).")
    }
    self.init(
      top: try decoder.size(edges[0].startEdgeSize, field),
      bottom: try decoder.size(edges[0].endEdgeSize, field),
      left: try decoder.size(edges[1].startEdgeSize, field),
      right: try decoder.size(edges[1].endEdgeSize, field))
  }

  /// The amounts as a message, with the amounts for the height before those for the width.
  fileprivate var message: Spec.BorderAmounts {
    func edges(_ start: Int, _ end: Int) -> Spec.BorderAmounts.EdgeSizes {
      .making {
        $0.startEdgeSize = UInt64(start)
        $0.endEdgeSize = UInt64(end)
      }
    }
    return .making { $0.borderAmounts = [edges(top, bottom), edges(left, right)] }
  }
}
