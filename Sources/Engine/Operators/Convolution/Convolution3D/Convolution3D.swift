import Graph
import ModelFormat

/// Convolution over three spatial dimensions, and its transpose.
///
///     y[o, d, h, w] = b[o] + Σ W[o, i, a, b, c] · x[i, d·s + a·δ − p, …]
///
/// - Input: `[N, C, D, H, W]`, rank five. Output: `[N, Cout, D', H', W']`.
/// - Weights: `[Cout, C / groups, kd, kh, kw]`; transposed `[C, Cout / groups, kd, kh, kw]`.
/// - Padding with zeros: custom amounts, none (`valid`), or `same`: the output has the input's size
///   divided by the stride, rounded up (transposed: multiplied by it), an odd element at the end.
/// - Transposed: `D' = (D − 1) · s + δ (kd − 1) + 1 − padding`, or the model's output shape, beyond
///   which values are cut off and up to which the bias alone stands.
/// - Defaults: groups, strides and dilations of 0 are 1; a kernel size of 0 is an error.
///
/// **Source:** `Convolution3DLayerParams`.
public struct Convolution3DOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "Convolution3D", specification: "convolution3d",
    summary: "convolution of a volume, or its transpose")

  /// How the border is treated.
  public enum Padding: Sendable, Hashable {
    /// Amounts before and after depth, height and width.
    case custom(before: [Int], after: [Int])
    /// As much that sizes change by the stride alone.
    case same
  }

  package let inputChannels: Int
  package let outputChannels: Int
  package let groups: Int
  package let kernel: [Int]
  package let stride: [Int]
  package let dilation: [Int]
  package let padding: Padding
  package let isTransposed: Bool
  package let outputShape: [Int]?
  package let weights: Weights
  package let bias: Weights?

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .convolution3d(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    inputChannels = try decoder.sizes([message.inputChannels], "inputChannels")[0]
    outputChannels = try decoder.sizes([message.outputChannels], "outputChannels")[0]
    groups = try decoder.sizes([message.nGroups], "nGroups", default: 1)[0]
    kernel = try decoder.sizes(
      [message.kernelDepth, message.kernelHeight, message.kernelWidth], "the kernel")
    stride = try decoder.sizes(
      [message.strideDepth, message.strideHeight, message.strideWidth], "the stride", default: 1)
    dilation = try decoder.sizes(
      [message.dilationDepth, message.dilationHeight, message.dilationWidth], "the dilation",
      default: 1)
    isTransposed = message.isDeconvolution
    switch message.paddingType {
    case .custom:
      padding = .custom(
        before: try decoder.sizes(
          [message.customPaddingFront, message.customPaddingTop, message.customPaddingLeft],
          "customPadding", least: 0),
        after: try decoder.sizes(
          [message.customPaddingBack, message.customPaddingBottom, message.customPaddingRight],
          "customPadding", least: 0))
    case .valid: padding = .custom(before: [0, 0, 0], after: [0, 0, 0])
    case .same: padding = .same
    case .unrecognized(let value):
      throw decoder.invalid(
        "the padding type is \(value), expected 0 (custom), 1 (valid) or 2 (same).")
    }
    guard inputChannels % groups == 0, outputChannels % groups == 0 else {
      throw decoder.invalid(
        "\(inputChannels) input and \(outputChannels) output channels do not divide into "
          + "\(groups) groups.")
    }
    if isTransposed && !message.outputShape.isEmpty {
      let shape: [Int] = try message.outputShape.map { try decoder.size($0, "outputShape") }
      guard shape.count == 3 else {
        throw decoder.invalid("outputShape has \(shape.count) sizes, expected 3.")
      }
      outputShape = shape
    } else {
      outputShape = nil
    }
    let channels: [Int] =
      isTransposed
      ? [inputChannels, outputChannels / groups] : [outputChannels, inputChannels / groups]
    weights = try decoder.weights(
      message.weights, shape: Shape(channels + kernel), channelAxis: isTransposed ? 1 : 0,
      field: "weights")
    bias =
      message.hasBias
      ? try decoder.weights(message.bias, shape: [outputChannels], field: "bias") : nil
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    try shape.requireVolume()
    guard shape[1] == inputChannels else {
      throw EngineError(
        .invalidInput,
        "the input has \(shape[1]) channels (\(shape)), expected \(inputChannels).")
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
        case .same:
          let output: Int = outputShape?[axis] ?? input * stride[axis]
          return try checked(output, max(full - output, 0) / 2, input)
        }
      }
      switch padding {
      case .custom(let before, let after):
        let space: Int = input + before[axis] + after[axis] - reach
        return try checked(space < 0 ? 0 : space / stride[axis] + 1, before[axis], input)
      case .same:
        let output: Int = (input + stride[axis] - 1) / stride[axis]
        return Axis(
          output: output, before: max((output - 1) * stride[axis] + reach - input, 0) / 2)
      }
    }
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
    let matrix = ReferenceTensor(weights.shape, try weights.doubles())
    let shifts: [Double]? = try bias?.doubles()
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
