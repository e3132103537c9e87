import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let pooling = LayerReader("pooling") { (decoder: LayerDecoder) -> PoolingOperator in
    try decoder.requireInputs(1...1)
    guard case .pooling(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    // Global pooling ignores the kernel and the stride. For global pooling, coremltools writes zeros into these fields.
    let isGlobal: Bool = message.globalPooling
    let kind = try PoolingOperator.Kind(message.type, decoder)
    let kernel = try decoder.extents(isGlobal ? [] : message.kernelSize, "kernelSize", default: 3)
    let stride = try decoder.extents(isGlobal ? [] : message.stride, "stride", default: 1)
    return PoolingOperator(
      kind, kernelHeight: kernel.0, kernelWidth: kernel.1, strideHeight: stride.0,
      strideWidth: stride.1, padding: try PoolingOperator.Padding(message, decoder),
      excludesPadding: message.avgPoolExcludePadding, isGlobal: isGlobal)
  }
}

extension PoolingOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let paddingType = try padding.message()
    encoder.layer.layer = .pooling(
      .making {
        $0.type = kind.message
        $0.globalPooling = isGlobal
        $0.avgPoolExcludePadding = excludesPadding
        $0.poolingPaddingType = paddingType
        guard !isGlobal else { return }
        $0.kernelSize = [UInt64(kernelHeight), UInt64(kernelWidth)]
        $0.stride = [UInt64(strideHeight), UInt64(strideWidth)]
      })
  }
}

extension PoolingOperator.Kind {
  fileprivate init(_ type: Spec.PoolingLayerParams.PoolingType, _ decoder: LayerDecoder) throws {
    switch type {
    case .max: self = .maximum
    case .average: self = .average
    case .l2: self = .l2
    case .unrecognized(let value):
      throw decoder.invalid(
        "the pooling type is \(value), expected 0 (max), 1 (average) or 2 (L2). "
          + "The model may be newer than version 10.")
    }
  }

  fileprivate var message: Spec.PoolingLayerParams.PoolingType {
    switch self {
    case .maximum: return .max
    case .average: return .average
    case .l2: return .l2
    }
  }
}

extension PoolingOperator.Padding {
  fileprivate init(_ message: Spec.PoolingLayerParams, _ decoder: LayerDecoder) throws {
    switch message.poolingPaddingType {
    case .valid(let valid)?:
      let edges = try decoder.paddingAmounts(valid.paddingAmounts)
      self = .valid(
        top: edges.top, bottom: edges.bottom, left: edges.left, right: edges.right)
    case .same(let same)?:
      self = .same(topLeftHeavy: same.asymmetryMode == .topLeftHeavy)
    case .includeLastPixel(let complete)?:
      let amounts = try decoder.extents(
        complete.paddingAmounts, "paddingAmounts", default: 0, least: 0)
      self = .includeLastPixel(height: amounts.0, width: amounts.1)
    case nil:
      self = .valid(top: 0, bottom: 0, left: 0, right: 0)
    }
  }

  fileprivate func message() throws -> Spec.PoolingLayerParams.OneOfPoolingPaddingType {
    func edge(_ start: Int, _ end: Int) -> Spec.BorderAmounts.EdgeSizes {
      .making { ($0.startEdgeSize, $0.endEdgeSize) = (UInt64(start), UInt64(end)) }
    }
    switch self {
    case .valid(let top, let bottom, let left, let right):
      return .valid(
        .making {
          $0.paddingAmounts = .making {
            $0.borderAmounts = [edge(top, bottom), edge(left, right)]
          }
        })
    case .same(let topLeftHeavy):
      return .same(.making { $0.asymmetryMode = topLeftHeavy ? .topLeftHeavy : .bottomRightHeavy })
    case .includeLastPixel(let height, let width):
      return .includeLastPixel(.making { $0.paddingAmounts = [UInt64(height), UInt64(width)] })
    case .ceiling:
      throw EngineError(.unsupported, "no pooling layer rounds the number of windows up.")
    }
  }
}

extension LayerDecoder {
  /// Returns the two sizes of a field, height and width. Both sizes are `missing` if the field is empty.
  fileprivate func extents(
    _ values: [UInt64], _ field: String, default missing: Int, least: Int = 1
  ) throws -> (Int, Int) {
    if values.isEmpty { return (missing, missing) }
    guard values.count == 2 else {
      throw invalid("\(field) has \(values.count) values, expected 2 (height and width).")
    }
    let first: Int = try size(values[0], field)
    let second: Int = try size(values[1], field)
    guard first >= least, second >= least else {
      throw invalid("\(field) is \(first) × \(second), expected at least \(least) × \(least).")
    }
    return (first, second)
  }

  /// Returns the padding at each edge. The padding is zero if the model states none.
  fileprivate func paddingAmounts(_ message: Spec.BorderAmounts?) throws
    -> (top: Int, bottom: Int, left: Int, right: Int)
  {
    let edges: [Spec.BorderAmounts.EdgeSizes] = message?.borderAmounts ?? []
    if edges.isEmpty { return (0, 0, 0, 0) }
    guard edges.count == 2 else {
      throw invalid(
        "paddingAmounts has \(edges.count) entries, expected 2 (height and width).")
    }
    return (
      try size(edges[0].startEdgeSize, "paddingAmounts"),
      try size(edges[0].endEdgeSize, "paddingAmounts"),
      try size(edges[1].startEdgeSize, "paddingAmounts"),
      try size(edges[1].endEdgeSize, "paddingAmounts")
    )
  }
}
