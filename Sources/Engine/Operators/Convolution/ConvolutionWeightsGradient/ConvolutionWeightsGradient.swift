import Graph

/// The gradient of a convolution with respect to its weights.
///
///     ∂w[o, i, ky, kx] = Σ small[n, o, y, x] · large[n, i, y·s + ky·d − top, x·s + kx·d − left]
///
/// where `s` is the stride and `d` the dilation. The sum is over the samples `n` and the pixels `(y, x)` of `small`.
///
/// - Inputs: `large [N, C, H, W]`: the input of a convolution, or the output gradient of a transposed convolution;
///   `small [N, O, H', W']`: the output gradient of a convolution, or the input of a transposed convolution. Pixels
///   beyond `large` count as zero.
/// - Output: `[O, C / groups, kh, kw]`, float32.
/// - Errors: the channels of the inputs do not match the shape of the weights.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
///
/// **Source:** LeCun et al., “Gradient-based learning applied to document recognition” (1998).
public struct ConvolutionWeightsGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ConvolutionWeightsGradient",
    summary: "Σ over batch and pixels of a convolution's input times its output's gradient")

  /// The shape of the weights, `[O, C / groups, kh, kw]`.
  public var weightShape: Shape
  /// The number of groups.
  public var groups: Int
  /// The step between neighbouring windows, in pixels of `large`.
  public var stride: ConvolutionOperator.Pair
  /// The step between neighbouring elements of a window, in pixels of `large`.
  public var dilation: ConvolutionOperator.Pair
  /// The padding above `large`, in pixels.
  public var top: Int
  /// The padding to the left of `large`, in pixels.
  public var left: Int

  /// Creates the weights' gradient of a convolution with these parameters.
  public init(
    weightShape: Shape, groups: Int, stride: ConvolutionOperator.Pair,
    dilation: ConvolutionOperator.Pair, top: Int, left: Int
  ) {
    self.weightShape = weightShape
    self.groups = groups
    self.stride = stride
    self.dilation = dilation
    self.top = top
    self.left = left
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    let large = try FeatureMap(inputs[0].shape)
    let small = try FeatureMap(inputs[1].shape)
    guard large.channels == weightShape[1] * groups, small.channels == weightShape[0],
      large.batch == small.batch
    else {
      throw EngineError(
        .invalidInput,
        "the inputs are \(inputs[0].shape) and \(inputs[1].shape), expected \(weightShape[1] * groups) and \(weightShape[0]) channels and the same batch."
      )
    }
    return [TensorType(weightShape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let large = try FeatureMap(inputs[0].shape)
    let small = try FeatureMap(inputs[1].shape)
    var result = ReferenceTensor(weightShape)
    let groupOutputs: Int = weightShape[0] / groups
    weightShape.forEachIndex { index, position in
      let (o, i, ky, kx) = (index[0], index[1], index[2], index[3])
      let channel: Int = o / groupOutputs * weightShape[1] + i
      var sum: Double = 0
      for n in 0..<small.batch {
        for y in 0..<small.height {
          let row: Int = y * stride.height + ky * dilation.height - top
          guard row >= 0, row < large.height else { continue }
          for x in 0..<small.width {
            let column: Int = x * stride.width + kx * dilation.width - left
            guard column >= 0, column < large.width else { continue }
            let product: Double =
              inputs[1].values[small.offset(n, o, y, x)]
              * inputs[0].values[large.offset(n, channel, row, column)]
            sum += product
          }
        }
      }
      result.values[position] = sum
    }
    return [result]
  }
}
