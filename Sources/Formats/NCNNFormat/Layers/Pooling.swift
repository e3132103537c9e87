import Graph
import Operators

extension NCNNLayerReader {
  /// Maximum and average pooling.
  static let pooling: [NCNNLayerReader] = [
    NCNNLayerReader(
      "Pooling", [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 18]
    ) { try $0.pooling() }
  ]
}

extension NCNNContext {
  fileprivate func pooling() throws -> Graph.ValueID {
    let x: Graph.ValueID = try featureMap()
    let kind: PoolingOperator.Kind
    switch try parameters.int(0, or: 0) {
    case 0: kind = .maximum
    case 1: kind = .average
    case let other: throw unsupported("its kind is \(other), expected 0 or 1.")
    }
    if try parameters.int(4, or: 0) != 0 {
      return try add(
        ReduceAxesOperator(kind == .maximum ? .maximum : .mean, axes: [2, 3], keepsAxes: false), x)
    }
    if try parameters.int(7, or: 0) != 0 {
      let width: Int = try parameters.int(8, or: 0)
      guard width == 1, try parameters.int(18, or: width) == 1 else {
        throw unsupported("it adapts its windows to an output of more than 1 × 1 pixels.")
      }
      return try add(PoolingOperator.global(kind), x)
    }
    let kernel = try pair(1, 11, or: 0, "The window")
    let stride = try pair(2, 12, or: 1, "The stride")
    let countsPadding: Bool = try parameters.int(6, or: 0) != 0
    func operation(_ padding: PoolingOperator.Padding, countsPadding: Bool = countsPadding) throws
      -> Graph.ValueID
    {
      try add(
        PoolingOperator(
          kind, kernelHeight: kernel.height, kernelWidth: kernel.width,
          strideHeight: stride.height, strideWidth: stride.width, padding: padding,
          excludesPadding: !countsPadding),
        x)
    }
    let mode: Int = try parameters.int(5, or: 0)
    // With padding to the size of the input, averages count padding whatever the file says.
    if mode == 2 || mode == 3 {
      return try operation(.same(topLeftHeavy: mode == 3), countsPadding: true)
    }
    guard case .amounts(let edges) = try padding(left: 3, top: 13, right: 14, bottom: 15) else {
      throw invalid("the padding must be stated by numbers of 0 or more.")
    }
    guard mode == 0 else {
      return try operation(
        .valid(top: edges.top, bottom: edges.bottom, left: edges.left, right: edges.right))
    }
    guard edges.top == edges.bottom, edges.left == edges.right else {
      throw unsupported("it rounds the number of windows up, and pads opposite sides differently.")
    }
    guard kind == .maximum || !countsPadding else {
      throw unsupported("it rounds the number of windows up, and its averages count padding.")
    }
    return try operation(.includeLastPixel(height: edges.top, width: edges.left))
  }
}
