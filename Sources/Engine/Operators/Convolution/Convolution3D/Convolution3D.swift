import Graph

/// Convolution over three spatial dimensions, and its transpose.
///
///     y[o, d, h, w] = b[o] + Σ W[o, i, a, b, c] · x[i, d·s + a·δ − p, …]
///
/// - Inputs: `[N, C, D, H, W]`, rank five; the weights `[Cout, C / groups, kd, kh, kw]`, transposed
///   `[C, Cout / groups, kd, kh, kw]`; where there is one, the bias `[Cout]`.
/// - Output: `[N, Cout, D', H', W']`.
/// - Padding with zeros: custom amounts, none (`valid`), or `same`: the output has the input's size
///   divided by the stride, rounded up (transposed: multiplied by it), an odd element at the end or, with
///   `sameLower`, at the start.
/// - Transposed: `D' = (D − 1) · s + δ (kd − 1) + 1 − padding`, or the model's output shape, beyond
///   which values are cut off and up to which the bias alone stands.
/// - Defaults: groups, strides and dilations of 0 are 1; a kernel size of 0 is an error.
///
/// **Source:** `Convolution3DLayerParams`.
public struct Convolution3DOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Convolution3D", summary: "convolution of a volume, or its transpose")

  /// How the border is treated.
  public enum Padding: Sendable, Hashable {
    /// Amounts before and after depth, height and width.
    case custom(before: [Int], after: [Int])
    /// As much that sizes change by the stride alone; an odd element at the end.
    case same
    /// The same with an odd element at the start.
    case sameLower
  }

  /// The number of input channels.
  public let inputChannels: Int
  /// The number of output channels.
  public let outputChannels: Int
  /// The number of groups.
  public let groups: Int
  /// The window along depth, height and width.
  public let kernel: [Int]
  /// The step between windows; transposed, between their outputs.
  public let stride: [Int]
  /// The step within a window.
  public let dilation: [Int]
  /// How the border is treated.
  public let padding: Padding
  /// Whether this is the transposed convolution.
  public let isTransposed: Bool
  /// The transposed convolution's output size where the model states it.
  public let outputShape: [Int]?
  /// Whether a bias is added: the third input.
  public let hasBias: Bool

  /// A convolution; sizes are along depth, height and width.
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

  /// Size of the output and padding before the first element along one axis.
  package struct Axis {
    package let output: Int
    package let before: Int
  }

  /// The sizes along depth, height and width.
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

  /// The part of a whole padding that stands in front.
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
        var place: [Int] = []
        for axis in 0..<3 {
          if isTransposed {
            let moved: Int = index[2 + axis] + axes[axis].before - tap[axis] * dilation[axis]
            guard moved >= 0, moved % stride[axis] == 0 else { return }
            place.append(moved / stride[axis])
          } else {
            place.append(
              index[2 + axis] * stride[axis] + tap[axis] * dilation[axis] - axes[axis].before)
          }
          guard (0..<input.shape[2 + axis]).contains(place[axis]) else { return }
        }
        for member in 0..<inputsInGroup {
          let source: Int = group * inputsInGroup + member
          let weight: Double =
            isTransposed
            ? matrix[[source, channel - group * outputsInGroup] + tap]
            : matrix[[channel, member] + tap]
          sum += weight * input[[index[0], source] + place]
        }
      }
      result.values[position] = sum
    }
    return [result]
  }
}
