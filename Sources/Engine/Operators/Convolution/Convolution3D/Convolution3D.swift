import Graph

/// Convolution over three spatial dimensions, and its transpose.
///
///     y[o, d, h, w] = b[o] + Σ W[o, i, a, b, c] · x[i, d·s + a·δ − p, …]
///
/// where `s` is the stride, `δ` the dilation and `p` the padding before the first element. `a`, `b` and `c` are indices
/// into the kernel; the other two spatial axes of `x` follow the same rule.
///
/// - Inputs: `[N, C, D, H, W]`, rank five; the weights `[Cout, C / groups, kd, kh, kw]`, for the transpose
///   `[C, Cout / groups, kd, kh, kw]`; the bias `[Cout]`, if there is one.
/// - Output: `[N, Cout, D', H', W']`.
/// - Padding with zeros: custom amounts, none (`valid`), or `same`. With `same` the output size is the input size
///   divided by the stride and rounded up; for the transpose, the input size multiplied by the stride. If the amount of
///   padding is odd, the extra element is at the end or, with `sameLower`, at the start.
/// - Transposed: `D' = (D − 1) · s + δ (kd − 1) + 1 − padding`, where `padding` is the total at both ends. If the model
///   states an output shape, it replaces this size. Values beyond the model's output shape are cut off. An output
///   element to which no input element contributes holds only the bias.
/// - Defaults of the model file: groups, strides and dilations of 0 mean 1. A kernel size of 0 is an error.
///
/// **Source:** `Convolution3DLayerParams`.
public struct Convolution3DOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Convolution3D", summary: "convolution of a volume, or its transpose")

  /// How the edges are padded.
  public enum Padding: Sendable, Hashable {
    /// The numbers of padding elements before the first and after the last element of each axis, in the order depth,
    /// height and width.
    case custom(before: [Int], after: [Int])
    /// As much padding as is needed for an output of `⌈input size / stride⌉` elements along each axis; for the
    /// transpose, of `input size · stride` elements. If the amount is odd, the extra element is at the end.
    case same
    /// The same amount as for `same`. If the amount is odd, the extra element is at the start.
    case sameLower
  }

  /// The number of input channels.
  public let inputChannels: Int
  /// The number of output channels.
  public let outputChannels: Int
  /// The number of groups.
  public let groups: Int
  /// The window's size along depth, height and width, in elements.
  public let kernel: [Int]
  /// The step between neighbouring windows, in input elements; for the transpose in output elements.
  public let stride: [Int]
  /// The step between neighbouring elements of a window, in elements of the input; for the transpose, of the output.
  public let dilation: [Int]
  /// How the edges are padded.
  public let padding: Padding
  /// Whether this is the transposed convolution.
  public let isTransposed: Bool
  /// The output size of a transposed convolution, if the model states it.
  public let outputShape: [Int]?
  /// Whether the convolution adds a bias, the third input.
  public let hasBias: Bool

  /// Creates a convolution. Each array holds the values for depth, height and width, in this order.
  public init(
    inputChannels: Int, outputChannels: Int, groups: Int = 1, kernel: [Int],
    stride: [Int] = [1, 1, 1],
    dilation: [Int] = [1, 1, 1], padding: Padding = .custom(before: [0, 0, 0], after: [0, 0, 0]),
    isTransposed: Bool = false, outputShape: [Int]? = nil, hasBias: Bool = false
  ) {
    self.inputChannels = inputChannels
    self.outputChannels = outputChannels
    self.groups = groups
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.isTransposed = isTransposed
    self.outputShape = outputShape
    self.hasBias = hasBias
  }

  /// The shape of the weights.
  public var weightShape: Shape {
    let channels: [Int] =
      isTransposed
      ? [inputChannels, outputChannels / groups] : [outputChannels, inputChannels / groups]
    return Shape(channels + kernel)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == (hasBias ? 3 : 2) else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(hasBias ? 3 : 2).")
    }
    let shape: Shape = inputs[0].shape
    try shape.requireVolume()
    guard shape[1] == inputChannels else {
      throw EngineError(
        .invalidInput,
        "the input has \(shape[1]) channels (\(shape)), expected \(inputChannels).")
    }
    guard inputs[1].shape == weightShape, !hasBias || inputs[2].shape.count == outputChannels else {
      throw EngineError(
        .invalidInput,
        "weights and bias are \(inputs.dropFirst().map { "\($0.shape)" }.joined(separator: " and ")), expected \(weightShape) and \(outputChannels) numbers."
      )
    }
    let axes: [Axis] = try axes(shape)
    return [TensorType(Shape([shape[0], outputChannels] + axes.map(\.output)))]
  }

  /// The size of the output, and the padding before the first element, along one axis, in elements.
  package struct Axis {
    /// The number of elements of the output.
    package let output: Int
    /// The number of padding elements before the first element.
    package let before: Int
  }

  /// Returns the output sizes and paddings along depth, height and width, for an input of this shape.
  package func axes(_ shape: Shape) throws -> [Axis] {
    try (0..<3).map { (axis: Int) -> Axis in
      let input: Int = shape[2 + axis]
      let reach: Int = dilation[axis] * (kernel[axis] - 1) + 1
      if isTransposed {
        let full: Int = (input - 1) * stride[axis] + reach
        switch padding {
        case .custom(let before, let after):
          let output: Int = outputShape?[axis] ?? full - before[axis] - after[axis]
          return try checked(output, before[axis], input)
        case .same, .sameLower:
          let output: Int = outputShape?[axis] ?? input * stride[axis]
          return try checked(output, leading(max(full - output, 0)), input)
        }
      }
      switch padding {
      case .custom(let before, let after):
        let space: Int = input + before[axis] + after[axis] - reach
        return try checked(space < 0 ? 0 : space / stride[axis] + 1, before[axis], input)
      case .same, .sameLower:
        let output: Int = (input + stride[axis] - 1) / stride[axis]
        let missing: Int = max((output - 1) * stride[axis] + reach - input, 0)
        return Axis(output: output, before: leading(missing))
      }
    }
  }

  /// Returns how many of `total` padding elements come before the first element.
  private func leading(_ total: Int) -> Int {
    padding == .sameLower ? (total + 1) / 2 : total / 2
  }

  private func checked(_ output: Int, _ before: Int, _ input: Int) throws -> Axis {
    guard output > 0 else {
      throw EngineError(
        .invalidInput,
        "the input has the size \(input) along one dimension, too small for the kernel \(kernel).")
    }
    return Axis(output: output, before: before)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input: ReferenceTensor = inputs[0]
    let axes: [Axis] = try axes(input.shape)
    let matrix = inputs[1]
    let shifts: [Double]? = hasBias ? inputs[2].values : nil
    var result = ReferenceTensor(
      Shape([input.shape[0], outputChannels] + axes.map(\.output)))
    let taps = Shape(kernel)
    let (inputsInGroup, outputsInGroup) = (inputChannels / groups, outputChannels / groups)
    result.shape.forEachIndex { (index: [Int], position: Int) in
      let channel: Int = index[1]
      let group: Int = channel / outputsInGroup
      var sum: Double = shifts?[channel] ?? 0
      taps.forEachIndex { (tap: [Int], _: Int) in
        var sourceIndex: [Int] = []
        for axis in 0..<3 {
          if isTransposed {
            let moved: Int = index[2 + axis] + axes[axis].before - tap[axis] * dilation[axis]
            guard moved >= 0, moved % stride[axis] == 0 else { return }
            sourceIndex.append(moved / stride[axis])
          } else {
            sourceIndex.append(
              index[2 + axis] * stride[axis] + tap[axis] * dilation[axis] - axes[axis].before)
          }
          guard (0..<input.shape[2 + axis]).contains(sourceIndex[axis]) else { return }
        }
        for member in 0..<inputsInGroup {
          let source: Int = group * inputsInGroup + member
          let weight: Double =
            isTransposed
            ? matrix[[source, channel - group * outputsInGroup] + tap]
            : matrix[[channel, member] + tap]
          sum += weight * input[[index[0], source] + sourceIndex]
        }
      }
      result.values[position] = sum
    }
    return [result]
  }
}
