import Graph

/// The gradient of a pooling: every window gives its gradient to its pixels.
///
///     max:      to the first of the largest pixels
///     average:  to all pixels, divided by the window's count
///     sum:      to all pixels; the first step of the L2 norm's gradient
///
/// - Inputs: `x [N, C, H, W]` for a maximum only; `∂y [N, C, H', W']`.
/// - Output: `∂x [N, C, H, W]`.
/// - Errors: a gradient of another shape than the pooling's output.
///
/// Made by differentiation only; no model holds it.
///
/// **Source:** Zeiler and Fergus, “Visualizing and understanding convolutional networks”,
/// arXiv:1311.2901, for the maximum.
public struct PoolingGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "PoolingGradient", summary: "the gradient of windows given to their pixels")

  /// The pooling.
  public let pooling: PoolingOperator
  /// The shape of what was pooled.
  public let shape: Shape

  /// The gradient of a pooling of a shape. With the L2 norm every pixel gets the whole gradient.
  public init(_ pooling: PoolingOperator, of shape: Shape) {
    self.pooling = pooling
    self.shape = shape
  }

  /// Whether the first input is what was pooled.
  package var isMaximum: Bool { pooling.kind == .maximum }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = isMaximum ? 2 : 1
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let pooled: Shape =
      try pooling.outputTypes(for: [OperatorInput(TensorType(shape))])?[0].shape ?? []
    guard inputs[expected - 1].shape == pooled, !isMaximum || inputs[0].shape == shape else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs[expected - 1].shape), expected \(pooled), the pooling of \(shape)."
      )
    }
    return [TensorType(shape, inputs[expected - 1].type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(shape)
    let (rows, columns) = try pooling.windows(height: map.height, width: map.width)
    let gradient: [Double] = inputs[inputs.count - 1].values
    var result = ReferenceTensor(shape)
    var position = 0
    for sample in 0..<map.batch {
      for channel in 0..<map.channels {
        for row in 0..<rows.count {
          for column in 0..<columns.count {
            let places: [Int] = rows.pixels(row).flatMap { (y: Int) -> [Int] in
              columns.pixels(column).map { map.offset(sample, channel, y, $0) }
            }
            let given: Double = gradient[position]
            position += 1
            guard var best = places.first else { continue }
            if isMaximum {
              let values: [Double] = inputs[0].values
              for place in places where values[place] > values[best] { best = place }
              result.values[best] += given
            } else {
              let factor: Double = factor(rows, row) * factor(columns, column)
              for place in places { result.values[place] += given * factor }
            }
          }
        }
      }
    }
    return [result]
  }

  /// What a pixel gets of a window along one axis.
  package func factor(_ axis: PoolingAxis, _ window: Int) -> Double {
    guard pooling.kind == .average else { return 1 }
    let inside: Int = max(axis.pixels(window).count, 1)
    return 1 / Double(pooling.excludesPadding ? inside : axis.countWithPadding(window))
  }
}
