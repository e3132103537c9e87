import Graph
import Operators

extension KerasLayerReader {
  private static let windows = KnownFields(
    [
      "filters", "nb_filter", "kernel_size", "filter_length", "nb_row", "nb_col", "kernel_dim1",
      "kernel_dim2", "kernel_dim3", "strides", "subsample", "subsample_length", "padding",
      "border_mode", "data_format", "dim_ordering", "dilation_rate", "atrous_rate", "groups",
      "activation", "use_bias", "bias", "depth_multiplier",
    ])
  private static let transposes: KnownFields = windows.joined(KnownFields(["output_padding"]))

  /// Plain, depthwise and separable convolutions over one to three spatial axes, and transposed convolutions.
  static let convolution: [KerasLayerReader] = [
    KerasLayerReader("Conv1D", "Convolution1D", "AtrousConvolution1D", fields: windows) {
      try $0.convolution(axes: 1)
    },
    KerasLayerReader("Conv2D", "Convolution2D", "AtrousConvolution2D", fields: windows) {
      try $0.convolution(axes: 2)
    },
    KerasLayerReader("Conv3D", "Convolution3D", fields: windows) { try $0.convolution(axes: 3) },
    KerasLayerReader("Conv1DTranspose", "Convolution1DTranspose", fields: transposes) {
      try $0.transposed(axes: 1)
    },
    KerasLayerReader(
      "Conv2DTranspose", "Convolution2DTranspose", "Deconvolution2D", fields: transposes
    ) {
      try $0.transposed(axes: 2)
    },
    KerasLayerReader(
      "Conv3DTranspose", "Convolution3DTranspose", "Deconvolution3D", fields: transposes
    ) {
      try $0.transposed(axes: 3)
    },
    KerasLayerReader("DepthwiseConv1D", fields: windows) { try $0.depthwise(axes: 1) },
    KerasLayerReader("DepthwiseConv2D", fields: windows) { try $0.depthwise(axes: 2) },
    KerasLayerReader("SeparableConv1D", "SeparableConvolution1D", fields: windows) {
      try $0.separable(axes: 1)
    },
    KerasLayerReader("SeparableConv2D", "SeparableConvolution2D", fields: windows) {
      try $0.separable(axes: 2)
    },
  ]
}

extension KerasContext {
  /// The window settings of a convolution layer.
  private struct Windows {
    var stride: [Int]
    var dilation: [Int]
    var isSame: Bool
    /// Whether the padding is causal: zeros only before a sequence, so that no output depends on later inputs.
    var isCausal = false
  }

  private func windows(_ spatial: KerasSpatial) throws -> Windows {
    let kind: String = try settings.text("padding", "border_mode") ?? "valid"
    guard ["valid", "same", "causal"].contains(kind), kind != "causal" || spatial.axes == 1 else {
      throw unsupported("'padding' is '\(kind)', expected valid or same.")
    }
    return Windows(
      stride: try spatial.sizes(
        settings.ints("strides", "subsample", "subsample_length"), "strides"),
      dilation: try spatial.sizes(settings.ints("dilation_rate", "atrous_rate"), "dilation_rate"),
      isSame: kind == "same", isCausal: kind == "causal")
  }

  /// Transposes weights `[k…, I, O]` to `[O, I, k…]`, or to `[I, O, k…]` if `swapped` is true. Here k… are the extents
  /// of the window, and I and O are the numbers of input and output channels. For one spatial axis, the window becomes
  /// `1, k`.
  private func kernel(_ stored: Constant, axes: Int, swapped: Bool = false) throws -> Constant {
    guard stored.shape.rank == axes + 2, stored.shape.dimensions.allSatisfy({ $0 > 0 }) else {
      throw invalid("the weights are \(stored.shape), expected \(axes + 2) axes.")
    }
    let isOldOrder: Bool = try network.version < 2 && KerasSpatial.usesChannelsFirst(self)
    let last: [Int] = swapped ? [axes, axes + 1] : [axes + 1, axes]
    // In channels-first layers, Keras 1 stored the weights as [O, I, k…].
    let moved: Constant = isOldOrder ? stored : stored.transposed(last + Array(0..<axes))
    guard axes == 1 else { return moved }
    return moved.reshaped(to: [moved.shape[0], moved.shape[1], 1, moved.shape[2]])
  }

  /// Applies the layer's activation to `value`, and returns the result in the layer's axis order.
  private func finished(_ value: Graph.ValueID, _ spatial: KerasSpatial) throws -> KerasTensor {
    try activated(try spatial.made(value))
  }

  private func bias(_ index: Int, _ count: Int) throws -> [Graph.ValueID] {
    guard try settings.bool("use_bias", "bias", or: true) else { return [] }
    return [constant(try weights(index, "the biases").reshaped(count, self), "bias")]
  }

  /// Adds a convolution with weights `[O, I / groups, k…]`.
  private func convolve(
    _ x: Graph.ValueID, _ weights: Constant, _ bias: [Graph.ValueID], _ spatial: KerasSpatial,
    _ windows: Windows, groups: Int
  ) throws -> Graph.ValueID {
    let (outputs, inputs) = (weights.shape[0], weights.shape[1])
    guard groups > 0, outputs % groups == 0 else {
      throw invalid("\(outputs) filters do not divide into \(groups) groups.")
    }
    if let channels = spatial.channels, x == spatial.value, channels != inputs * groups {
      throw invalid(
        "its input has \(channels) channels, but the weights are for \(inputs * groups).")
    }
    let kernel: [Int] = Array(weights.shape.dimensions.dropFirst(2))
    let stride: [Int] = spatial.flat(windows.stride)
    let dilation: [Int] = spatial.flat(windows.dilation)
    guard (stride + dilation).allSatisfy({ $0 > 0 }) else {
      throw invalid("strides and dilations are \(stride) and \(dilation), expected 1 or more.")
    }
    let values: [Graph.ValueID] = [x, constant(weights, "weights")] + bias
    if spatial.axes == 3 {
      return try add(
        Convolution3DOperator(
          inputChannels: inputs * groups, outputChannels: outputs, groups: groups, kernel: kernel,
          stride: stride, dilation: dilation,
          padding: windows.isSame ? .same : .custom(before: [0, 0, 0], after: [0, 0, 0]),
          hasBias: !bias.isEmpty),
        values)
    }
    let before: Int = windows.isCausal ? (kernel[1] - 1) * dilation[1] : 0
    return try add(
      ConvolutionOperator(
        outputChannels: outputs, kernelChannels: inputs, groups: groups,
        kernel: .init(kernel[0], kernel[1]), stride: .init(stride[0], stride[1]),
        dilation: .init(dilation[0], dilation[1]),
        padding: windows.isSame
          ? .same(topLeftHeavy: false) : .valid(top: 0, left: before, bottom: 0, right: 0),
        hasBias: !bias.isEmpty),
      values)
  }

  fileprivate func convolution(axes: Int) throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: axes)
    let weights: Constant = try kernel(try weights(0, "the weights"), axes: axes)
    let made = try convolve(
      spatial.value, weights, try bias(1, weights.shape[0]), spatial, try windows(spatial),
      groups: try settings.int("groups") ?? 1)
    return try finished(made, spatial)
  }

  /// Reshapes the weights `[k…, C, M]` of a depthwise convolution to `[C · M, 1, k…]`. Each of the C input channels has
  /// M output channels. Returns the reshaped weights and the number of groups, C.
  private func channelKernel(_ axes: Int) throws -> (Constant, groups: Int) {
    let moved: Constant = try kernel(try weights(0, "the weights"), axes: axes, swapped: true)
    let (channels, multiple) = (moved.shape[0], moved.shape[1])
    return (
      moved.reshaped(to: Shape([channels * multiple, 1] + moved.shape.dimensions.dropFirst(2))),
      channels
    )
  }

  fileprivate func depthwise(axes: Int) throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: axes)
    let (weights, groups) = try channelKernel(axes)
    let made = try convolve(
      spatial.value, weights, try bias(1, weights.shape[0]), spatial, try windows(spatial),
      groups: groups)
    return try finished(made, spatial)
  }

  fileprivate func separable(axes: Int) throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: axes)
    let (weights, groups) = try channelKernel(axes)
    let apart = try convolve(
      spatial.value, weights, [], spatial, try windows(spatial), groups: groups)
    let points: Constant = try kernel(try self.weights(1, "the pointwise weights"), axes: axes)
    guard points.shape[1] == weights.shape[0] else {
      throw invalid(
        "the pointwise weights are for \(points.shape[1]) channels, found \(weights.shape[0]).")
    }
    let plain = Windows(
      stride: [Int](repeating: 1, count: axes), dilation: [Int](repeating: 1, count: axes),
      isSame: false)
    let made = try convolve(
      apart, points, try bias(2, points.shape[0]), spatial, plain, groups: 1)
    return try finished(made, spatial)
  }

  fileprivate func transposed(axes: Int) throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: axes)
    let windows: Windows = try windows(spatial)
    let isSame: Bool = windows.isSame
    // The file stores the weights of a transposed convolution as [k…, O, I]. The graph needs [I, O, k…].
    let weights: Constant = try kernel(try weights(0, "the weights"), axes: axes)
    let (inputs, outputs) = (weights.shape[0], weights.shape[1])
    let kernel: [Int] = Array(weights.shape.dimensions.dropFirst(2))
    let (stride, dilation) = (spatial.flat(windows.stride), spatial.flat(windows.dilation))
    guard try settings.int("groups") ?? 1 == 1 else {
      throw unsupported(
        "'groups' is not 1, which Keras does not support for transposed convolutions.")
    }
    guard (stride + dilation).allSatisfy({ $0 > 0 }), spatial.channels ?? inputs == inputs else {
      throw invalid(
        "its input has \(spatial.channels ?? 0) channels, but the weights are for \(inputs).")
    }
    let stated: [Int]? = try settings.ints("output_padding").map {
      spatial.flat(try spatial.sizes($0, "output_padding"), 0)
    }
    let bias: [Graph.ValueID] = try bias(1, outputs)
    let values: [Graph.ValueID] = [spatial.value, constant(weights, "weights")] + bias
    let reach: [Int] = zip(kernel, dilation).map { ($0 - 1) * $1 + 1 }
    // The number of elements to crop from the full result along each axis. A negative number says how many elements to
    // append.
    let surplus: [Int] = reach.indices.map { axis in
      switch (isSame, stated?[axis]) {
      case (true, let more?): 2 * (reach[axis] / 2) - more
      case (true, nil): reach[axis] - stride[axis]
      case (false, let more?): -more
      case (false, nil): min(0, reach[axis] - stride[axis])
      }
    }
    let before: [Int] = surplus.map { max(0, $0) / 2 }
    let after: [Int] = zip(surplus, before).map { max(0, $0) - $1 }
    let extra: [Int] = surplus.map { max(0, -$0) }
    if axes == 3 { return try volume() }
    var operation = ConvolutionOperator(
      outputChannels: outputs, kernelChannels: inputs, kernel: .init(kernel[0], kernel[1]),
      stride: .init(stride[0], stride[1]), dilation: .init(dilation[0], dilation[1]),
      padding: isSame && stated == nil
        ? .same(topLeftHeavy: false)
        : .valid(top: before[0], left: before[1], bottom: after[0], right: after[1]),
      isDeconvolution: true, hasBias: !bias.isEmpty)
    if !isSame || stated != nil { operation.outputPadding = .init(extra[0], extra[1]) }
    return try finished(try add(operation, values), spatial)

    /// Adds a transposed convolution over three axes. If the convolution's output is shorter than Keras's, appends
    /// zeros to this output before adding the bias.
    func volume() throws -> KerasTensor {
      let isLonger: Bool = extra != [0, 0, 0]
      let operation = Convolution3DOperator(
        inputChannels: inputs, outputChannels: outputs, kernel: kernel, stride: stride,
        dilation: dilation, padding: .custom(before: before, after: after),
        isTransposed: true, hasBias: !bias.isEmpty && !isLonger)
      guard isLonger else { return try finished(try add(operation, values), spatial) }
      let short = try add(operation, Array(values.prefix(2)))
      let amounts: [Int] = [0, 0, 0, 0] + extra.flatMap { [0, $0] }
      var made = try add(ConstantPadOperator(value: 0, amounts: amounts), short)
      if let bias = bias.first {
        let shifts = try add(ReshapeStaticOperator(targetShape: [outputs, 1, 1, 1]), bias)
        made = try add(BinaryFunctionOperator(.add), made, shifts)
      }
      return try finished(made, spatial)
    }
  }
}

extension Constant {
  /// Returns the values as a vector of length `count`. Throws if the number of values is not `count`.
  func reshaped(_ count: Int, _ context: KerasContext) throws -> Constant {
    guard self.count == count else {
      throw context.invalid("the biases hold \(self.count) values, expected \(count).")
    }
    return reshaped(to: [count])
  }
}
