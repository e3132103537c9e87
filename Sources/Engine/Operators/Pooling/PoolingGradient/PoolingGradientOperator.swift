import Graph

/// The gradient of a pooling: distributes the gradient of every window to the window's pixels.
///
///     max:      to the first of the window's largest pixels
///     average:  to all pixels of the window, divided by the divisor of the average
///     L2:       to all pixels of the window, undivided
///
/// For an L2 pooling, this is only one step of the gradient: the gradient rule of ``PoolingOperator`` divides `∂y` by
/// `y` beforehand and multiplies the result by `x` afterwards.
///
/// - Inputs: `x [N, C, H, W]`, only for a maximum; `∂y [N, C, H', W']`.
/// - Output: `∂x [N, C, H, W]`.
/// - Errors: the gradient does not have the shape of the pooling's output.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
///
/// **Source:** Zeiler and Fergus, “Visualizing and understanding convolutional networks”,
/// arXiv:1311.2901, for the maximum.
public struct PoolingGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "PoolingGradient", summary: "the gradient of each window, distributed to its pixels")

  /// The pooling whose gradient the operator computes.
  public let pooling: PoolingOperator
  /// The shape of the pooling's input.
  public let shape: Shape

  /// Creates an operator for the gradient of a pooling whose input has this shape.
  public init(_ pooling: PoolingOperator, of shape: Shape) {
    self.pooling = pooling
    self.shape = shape
  }

  /// Whether the pooling is a maximum. If so, the operator's first input is the pooling's input.
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
            let offsets: [Int] = rows.pixels(row).flatMap { (y: Int) -> [Int] in
              columns.pixels(column).map { map.offset(sample, channel, y, $0) }
            }
            let windowGradient: Double = gradient[position]
            position += 1
            guard var best = offsets.first else { continue }
            if isMaximum {
              let values: [Double] = inputs[0].values
              for pixel in offsets where values[pixel] > values[best] { best = pixel }
              result.values[best] += windowGradient
            } else {
              let factor: Double = factor(rows, row) * factor(columns, column)
              for pixel in offsets { result.values[pixel] += windowGradient * factor }
            }
          }
        }
      }
    }
    return [result]
  }

  /// Returns the factor of a window along one axis. Each pixel of a window receives the window's gradient times one
  /// factor per axis. For an average the factor is 1 divided by the number of the window's pixels that the average
  /// counts along the axis. For other poolings the factor is 1.
  package func factor(_ axis: PoolingAxis, _ window: Int) -> Double {
    guard pooling.kind == .average else { return 1 }
    let inside: Int = max(axis.pixels(window).count, 1)
    return 1 / Double(pooling.excludesPadding ? inside : axis.countWithPadding(window))
  }
}
