import Graph
import Operators

/// 2D and 3D convolutions, and transposed convolutions.
enum LiteConvolutionReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("CONV_2D", .pictures([0])) { operation in
      let shape: [Int] = try operation.shape(1, axes: 4)
      guard let channels = try operation.extents(0)?.last ?? nil, channels % shape[3] == 0,
        channels > 0
      else {
        throw operation.invalid(
          "the input's channels are not a multiple of \(shape[3]), the channels of the weights \(Shape(shape))."
        )
      }
      let windows = try LiteWindows(
        operation, strides: (2, 1), dilations: (5, 4), kernel: (shape[1], shape[2]))
      return [
        try operation.convolved(
          ConvolutionOperator(
            outputChannels: shape[0], kernelChannels: shape[3], groups: channels / shape[3],
            kernel: windows.kernel, stride: windows.stride, dilation: windows.dilation,
            padding: windows.padding), weights: [0, 3, 1, 2], activation: 3)
      ]
    },
    LiteOperatorReader("DEPTHWISE_CONV_2D", .pictures([0])) { operation in
      let shape: [Int] = try operation.shape(1, axes: 4)
      guard let channels = try operation.extents(0)?.last ?? nil, channels > 0, shape[0] == 1,
        shape[3] % channels == 0
      else {
        throw operation.invalid(
          "the weights are \(Shape(shape)), expected 1 × height × width × a multiple of the input's"
            + " channels.")
      }
      let windows = try LiteWindows(
        operation, strides: (2, 1), dilations: (6, 5), kernel: (shape[1], shape[2]))
      return [
        try operation.convolved(
          ConvolutionOperator(
            outputChannels: shape[3], kernelChannels: 1, groups: channels, kernel: windows.kernel,
            stride: windows.stride, dilation: windows.dilation, padding: windows.padding),
          weights: [3, 0, 1, 2], activation: 4)
      ]
    },
    LiteOperatorReader("TRANSPOSE_CONV", .pictures([2])) { try [transposed($0)] },
    LiteOperatorReader("Convolution2DTransposeBias", .pictures([0]), isCustom: true) {
      try [transposedWithBias($0)]
    },
    LiteOperatorReader("CONV_3D") { try [volumes($0)] },
  ]

  /// Reads a transposed convolution. The operator's inputs are the shape of its output, the weights `[O, h, w, I]`, the
  /// image, and an optional bias.
  private static func transposed(_ operation: LiteOperation) throws -> LiteResult {
    let shape: [Int] = try operation.shape(1, axes: 4)
    let windows = try LiteWindows(
      operation, strides: (2, 1), dilations: nil, kernel: (shape[1], shape[2]))
    var result = ConvolutionOperator(
      outputChannels: shape[0], kernelChannels: shape[3], kernel: windows.kernel,
      stride: windows.stride, padding: windows.padding, isDeconvolution: true)
    let extents: [Int?] = try operation.extents(2) ?? []
    if extents.count == 4, let height = extents[1], let width = extents[2],
      let wanted = try operation.knownIntegers(0)
    {
      guard wanted.count == 4, wanted.allSatisfy({ (0...1 << 24).contains($0) }) else {
        throw operation.invalid("the output's shape is \(wanted), expected four sizes.")
      }
      // Rows and columns of the full result that exceed the wanted size are cropped at both ends. If the number of
      // cropped rows or columns is odd, one more is cropped at the end than at the start.
      let excess = (
        (height - 1) * windows.stride.height + shape[1] - wanted[1],
        (width - 1) * windows.stride.width + shape[2] - wanted[2]
      )
      let (tall, wide) = (max(excess.0, 0), max(excess.1, 0))
      result.padding = .valid(
        top: tall / 2, left: wide / 2, bottom: tall - tall / 2, right: wide - wide / 2)
      result.outputShape = .init(wanted[1], wanted[2])
    }
    return try operation.convolved(
      result, picture: 2, weights: [3, 0, 1, 2], bias: 3, activation: 3)
  }

  /// Reads MediaPipe's transposed convolution. The operator's inputs are the image, the weights `[O, h, w, I]` and a
  /// bias. Its options are three 32-bit integers: the padding (1 for SAME, 2 for VALID) and the strides along columns
  /// and rows. With SAME padding, the output's size is the input's size times the stride.
  ///
  /// **Source:** `transpose_conv_bias.cc` of MediaPipe for the meaning of inputs and options.
  private static func transposedWithBias(_ operation: LiteOperation) throws -> LiteResult {
    let shape: [Int] = try operation.shape(1, axes: 4)
    guard let bytes = operation.tensorInFile.customOptions, bytes.count >= 12 else {
      throw operation.invalid("its settings are missing.")
    }
    let settings = FlatBuffer(bytes: bytes)
    func setting(_ index: Int) throws -> Int {
      Int(try settings.read(4 * index, as: Int32.self))
    }
    let padding: Int = try setting(0)
    let stride = (height: try setting(2), width: try setting(1))
    guard (1...2).contains(padding), (1...1024).contains(stride.height),
      (1...1024).contains(stride.width)
    else {
      throw operation.invalid(
        "its padding is \(padding) and its strides are \(stride.height) × \(stride.width), expected a"
          + " padding of 1 or 2 and strides of at least 1.")
    }
    var result = ConvolutionOperator(
      outputChannels: shape[0], kernelChannels: shape[3], kernel: .init(shape[1], shape[2]),
      stride: .init(stride.height, stride.width),
      padding: .valid(top: 0, left: 0, bottom: 0, right: 0), isDeconvolution: true)
    if padding == 1 {
      // The full result has (n − 1) · stride + kernel rows. Cropping leaves n · stride rows.
      let (tall, wide) = (shape[1] - stride.height, shape[2] - stride.width)
      guard tall >= 0, wide >= 0 else {
        throw EngineError(
          .unsupported, "its stride is larger than its kernel of \(shape[1]) × \(shape[2]).")
      }
      result.padding = .valid(
        top: tall / 2, left: wide / 2, bottom: tall - tall / 2, right: wide - wide / 2)
    }
    result.hasBias = operation.has(2)
    var inputs: [Graph.ValueID] = [
      try operation.picture(0), try operation.parameter(1, axes: [3, 0, 1, 2]),
    ]
    if result.hasBias { inputs.append(try operation.written(2)) }
    return .picture(try operation.add(result, inputs, outputs: 1)[0])
  }

  /// Reads a 3D convolution. The operator's inputs are the volume `[N, D, H, W, C]`, the weights `[d, h, w, I, O]`, and
  /// an optional bias.
  private static func volumes(_ operation: LiteOperation) throws -> LiteResult {
    let shape: [Int] = try operation.shape(1, axes: 5)
    let strides: [Int] = try [1, 3, 2].map { try operation.size($0, or: 1, "a stride") }
    let dilations: [Int] = try [5, 7, 6].map { try operation.size($0, or: 1, "a dilation") }
    let channels: Int = try operation.extents(0)?.last.flatMap { $0 } ?? shape[3]
    guard channels % shape[3] == 0, channels > 0 else {
      throw operation.invalid(
        "the input has \(channels) channels, the weights are \(Shape(shape)).")
    }
    let isSame: Bool = try operation.byte(0) == 0
    let volume = try operation.add(
      TransposeOperator(axes: [0, 4, 1, 2, 3]), try operation.written(0), part: "channels first")
    var inputs: [Graph.ValueID] = [
      volume, try operation.parameter(1, axes: [4, 3, 0, 1, 2]),
    ]
    if operation.has(2) { inputs.append(try operation.written(2)) }
    let made = try operation.add(
      Convolution3DOperator(
        inputChannels: channels, outputChannels: shape[4], groups: channels / shape[3],
        kernel: Array(shape.prefix(3)), stride: strides, dilation: dilations,
        padding: isSame ? .same : .custom(before: [0, 0, 0], after: [0, 0, 0]),
        isTransposed: false, outputShape: nil, hasBias: inputs.count == 3), inputs, outputs: 1)
    return LiteResult.written(
      try operation.add(TransposeOperator(axes: [0, 2, 3, 4, 1]), made[0], part: "channels last")
    ).followed(by: try operation.activation(4))
  }
}

extension LiteOperation {
  /// Returns an input with its axes in another order. A constant is read from the file in that order. Any other value
  /// is transposed.
  func parameter(_ input: Int, axes: [Int]) throws -> Graph.ValueID {
    if let known = try constant(input, axes: axes) { return known }
    return try add(TransposeOperator(axes: axes), try written(input), part: "weights")
  }

  /// Adds the convolution of the image at input `picture` with weights and an optional bias.
  fileprivate func convolved(
    _ operation: ConvolutionOperator, picture: Int = 0, weights: [Int], bias: Int = 2,
    activation: Int
  ) throws -> LiteResult {
    var operation = operation
    operation.hasBias = has(bias)
    let follows: LiteActivation = try self.activation(activation)
    if follows.bounds != nil,
      let integerResult = try integerConvolution(
        operation, picture: picture, weights: weights, bias: bias)
    {
      return integerResult.followed(by: follows)
    }
    var inputs: [Graph.ValueID] = [try self.picture(picture), try parameter(1, axes: weights)]
    if operation.hasBias { inputs.append(try written(bias)) }
    return LiteResult.picture(try add(operation, inputs, outputs: 1)[0]).followed(by: follows)
  }

  /// Adds the convolution of 8-bit integers with 8-bit weights. Nil if the input, the weights or the output have
  /// another type. The convolution sums products of integers. A `float32` represents these sums exactly up to 2²⁴. Then
  /// a factor per channel converts the sums to steps of the output's scale. So the result rounds as LiteRT's result
  /// does.
  private func integerConvolution(
    _ operation: ConvolutionOperator, picture: Int, weights: [Int], bias: Int
  ) throws -> LiteResult? {
    let eight: Set<LiteElement> = [.int8, .uint8]
    let output: LiteModel.Tensor = try fileOutput()
    guard let grid = try value(picture).grid, grid.range.count <= 256,
      let made = output.quantization?.grid(of: output.element), eight.contains(output.element),
      let matrix = try value(1).constant, eight.contains(matrix.element),
      let scales = matrix.quantization?.scales
    else { return nil }
    let steps = try add(
      UnaryFunctionOperator(.round),
      try add(
        BinaryFunctionOperator(.multiply, number: 1 / grid.scale), try self.picture(picture),
        part: "input steps"), part: "input integers")
    let builder: GraphBuilder = context.builder
    var inputs: [Graph.ValueID] = [
      steps, builder.addConstant(try matrix.integers.constant(axes: weights), name: matrix.name),
    ]
    if has(bias) {
      guard let shift = try value(bias).constant, shift.element == .int32,
        shift.quantization != nil
      else { return nil }
      inputs.append(builder.addConstant(try shift.integers.constant(), name: shift.name))
    }
    let sum = try add(operation, inputs, outputs: 1, part: "sum")[0]
    // The sum is an integer already. The rounding operator prevents optimisation passes from folding the factors into
    // the weights.
    let integerResult = try add(UnaryFunctionOperator(.round), sum, part: "integer sum")
    let shape: Shape = scales.count == 1 ? [1, 1, 1] : [scales.count, 1, 1]
    guard scales.count == 1 || scales.count == operation.outputChannels else {
      throw invalid(
        "the weights have \(scales.count) scales for \(operation.outputChannels) channels.")
    }
    // Many operators may share these scales, so the constant does not copy them.
    let factors = Constant(TensorType(shape)) { scales.map { grid.scale * $0 / made.scale } }
    let factor = builder.addConstant(factors, name: "\(name)/factors")
    var result = LiteResult.picture(
      try add(BinaryFunctionOperator(.multiply), integerResult, factor, part: "output steps"))
    result.isInSteps = true
    return result
  }
}
