import Graph
import ModelFormat

extension PoolingOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .pooling(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    switch message.type {
    case .max: kind = .maximum
    case .average: kind = .average
    case .l2: kind = .l2
    case .unrecognized(let value):
      throw decoder.invalid(
        "the pooling type is \(value), expected 0 (max), 1 (average) or 2 (L2). "
          + "The model may be newer than version 10.")
    }
    isGlobal = message.globalPooling
    // Global pooling looks at neither, and coremltools writes zeros then.
    let kernel = try decoder.extents(isGlobal ? [] : message.kernelSize, "kernelSize", default: 3)
    let stride = try decoder.extents(isGlobal ? [] : message.stride, "stride", default: 1)
    (kernelHeight, kernelWidth) = kernel
    (strideHeight, strideWidth) = stride
    excludesPadding = message.avgPoolExcludePadding
    switch message.poolingPaddingType {
    case .valid(let valid)?:
      let border = try decoder.border(valid.paddingAmounts)
      padding = .valid(
        top: border.top, bottom: border.bottom, left: border.left, right: border.right)
    case .same(let same)?:
      padding = .same(topLeftHeavy: same.asymmetryMode == .topLeftHeavy)
    case .includeLastPixel(let complete)?:
      let amounts = try decoder.extents(
        complete.paddingAmounts, "paddingAmounts", default: 0, least: 0)
      padding = .includeLastPixel(height: amounts.0, width: amounts.1)
    case nil:
      padding = .valid(top: 0, bottom: 0, left: 0, right: 0)
    }
  }
}

extension LayerDecoder {
  /// A field of two sizes in the order height, width, or its default where the model has none.
  package func extents(_ values: [UInt64], _ field: String, default missing: Int, least: Int = 1) throws
    -> (Int, Int)
  {
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

  /// Border amounts of height and width; zero where the model has none.
  package func border(_ message: Spec.BorderAmounts?) throws
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
