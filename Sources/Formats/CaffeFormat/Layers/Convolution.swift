import Graph
import Operators

extension CaffeLayerReader {
  private static let windows = KnownFields(
    [
      "num_output", "bias_term", "pad", "kernel_size", "stride", "dilation", "pad_h", "pad_w",
      "kernel_h", "kernel_w", "stride_h", "stride_w", "dilation_h", "dilation_w", "group", "axis",
    ], harmless: ["force_nd_im2col"])

  /// Convolutions over two and three spatial axes, and transposed convolutions.
  static let convolution: [CaffeLayerReader] = [
    CaffeLayerReader("Convolution", "convolution", fields: windows) {
      try $0.convolution(isTransposed: false)
    },
    CaffeLayerReader("DepthwiseConvolution", "convolution", fields: windows) {
      try $0.convolution(isTransposed: false)
    },
    CaffeLayerReader("Deconvolution", "convolution", fields: windows) {
      try $0.convolution(isTransposed: true)
    },
  ]
}

extension CaffeContext {
  /// Returns one number per spatial axis. Reads the numbers from `field`, or else from two fields for height and width.
  /// The names of these two fields are `short` and then `_h` or `_w`.
  func sizes(
    _ parameters: CaffeMessage, _ field: String, _ short: String, count: Int, or standard: Int?
  )
    throws -> [Int]
  {
    var sizes: [Int] = try parameters.ints(field)
    if sizes.isEmpty, parameters.has("\(short)_h") || parameters.has("\(short)_w") {
      sizes = try ["h", "w"].map { try parameters.int("\(short)_\($0)", or: standard ?? 0) }
    }
    if sizes.isEmpty, let standard { sizes = [standard] }
    if sizes.count == 1 { sizes = [Int](repeating: sizes[0], count: count) }
    guard sizes.count == count else {
      throw invalid("'\(field)' has \(sizes.count) numbers, expected one or \(count).")
    }
    guard let bad = sizes.first(where: { !((standard == 0 ? 0 : 1)...1 << 20).contains($0) }) else {
      return sizes
    }
    throw invalid("'\(field)' is \(bad), expected \(standard == 0 ? 0 : 1) to \(1 << 20).")
  }

  fileprivate func convolution(isTransposed: Bool) throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("convolution")
    let x = try input()
    let axes: Int = try rank(x) - 2
    guard axes == 2 || axes == 3 else {
      throw unsupported("its input has \(axes + 2) dimensions, expected 4 or 5.")
    }
    let kernel: [Int] = try sizes(parameters, "kernel_size", "kernel", count: axes, or: nil)
    let stride: [Int] = try sizes(parameters, "stride", "stride", count: axes, or: 1)
    let padding: [Int] = try sizes(parameters, "pad", "pad", count: axes, or: 0)
    let dilation: [Int] = try sizes(parameters, "dilation", "dilation", count: axes, or: 1)
    let (inputs, outputs) = (try channels(x), try parameters.int("num_output", or: 0))
    let isDepthwise: Bool = layer.type == "DepthwiseConvolution"
    let groups: Int = try parameters.int("group", or: isDepthwise ? inputs : 1)
    guard try parameters.int("axis", or: 1) == 1 else {
      throw unsupported("'axis' is not 1, which is not supported.")
    }
    guard outputs > 0, outputs <= 1 << 30, groups > 0, inputs % groups == 0, outputs % groups == 0
    else {
      throw invalid(
        "\(inputs) channels become \(outputs) in \(groups) groups, expected groups that divide both."
      )
    }
    let shape = Shape(
      (isTransposed ? [inputs, outputs / groups] : [outputs, inputs / groups]) + kernel)
    let hasBias: Bool = try parameters.bool("bias_term", or: true)
    var values: [Graph.ValueID] = [
      x, constant(try layer.weights(0, "the weights").constant(shape, "the weights"), "weights"),
    ]
    if hasBias {
      values.append(
        constant(try layer.weights(1, "the biases").constant([outputs], "the biases"), "bias"))
    }
    if axes == 3 {
      return try add(
        Convolution3DOperator(
          inputChannels: inputs, outputChannels: outputs, groups: groups, kernel: kernel,
          stride: stride, dilation: dilation, padding: .custom(before: padding, after: padding),
          isTransposed: isTransposed, hasBias: hasBias),
        values)
    }
    return try add(
      ConvolutionOperator(
        outputChannels: outputs, kernelChannels: isTransposed ? inputs : inputs / groups,
        groups: groups, kernel: .init(kernel[0], kernel[1]), stride: .init(stride[0], stride[1]),
        dilation: .init(dilation[0], dilation[1]),
        padding: .valid(
          top: padding[0], left: padding[1], bottom: padding[0], right: padding[1]),
        isDeconvolution: isTransposed, hasBias: hasBias),
      values)
  }
}
