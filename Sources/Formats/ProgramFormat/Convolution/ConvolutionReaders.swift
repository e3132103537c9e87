import Graph
import Operators

/// Convolutions and transposed convolutions over one, two or three spatial axes.
enum ConvolutionReaders {
  static let all: [OperationReader] = [
    OperationReader("conv", as: [ConvolutionOperator.self, Convolution3DOperator.self]) {
      [.value(try convolution($0, transposed: false))]
    },
    OperationReader(
      "conv_transpose", as: [ConvolutionOperator.self, Convolution3DOperator.self]
    ) {
      [.value(try convolution($0, transposed: true))]
    },
    OperationReader("conv_quantized", as: [ConvolutionOperator.self, Convolution3DOperator.self]) {
      [.value(try convolution($0, transposed: false, weights: try scaledWeights($0)))]
    },
  ]

  private static func convolution(
    _ operation: ProgramOperation, transposed: Bool, weights: Graph.ValueID? = nil
  ) throws -> Graph.ValueID {
    let axes: Int = try operation.spatialAxes("x")
    var windows = try SpatialWindows(operation, axes: axes)
    let shape: [Int] = try weightShape(operation, axes: axes)
    let groups: Int = try operation.int("groups", or: 1)
    guard groups > 0, groups <= 1 << 30, shape[0] % groups == 0 else {
      throw operation.invalid(
        "the weights are \(Shape(shape)) in \(groups) groups, which do not divide their first axis."
      )
    }
    let outputShape: [Int]? = try outputShape(operation, axes: axes)
    var inputs: [Graph.ValueID] = [
      try operation.tensor("x").id,
      try weights ?? operation.real(try operation.tensor("weight")),
    ]
    if let bias = try operation.optionalTensor("bias") { inputs.append(operation.real(bias)) }
    let kernel = Array(shape.dropFirst(2))
    if axes == 3 {
      return operation.add(
        Convolution3DOperator(
          weights: shape, groups: groups, stride: windows.strides, dilation: windows.dilations,
          padding: windows.padding, isTransposed: transposed, outputShape: outputShape,
          hasBias: inputs.count == 3),
        inputs)
    }
    var outputSize: [Int]? = outputShape
    if axes == 1 {
      windows.expand()
      outputSize?.insert(1, at: 0)
      inputs[0] = operation.add(ExpandDimsOperator(axes: [-2]), inputs[0])
      inputs[1] = try flatWeights(operation, inputs[1], shape)
    }
    var result = ConvolutionOperator(
      outputChannels: transposed ? shape[1] * groups : shape[0],
      kernelChannels: transposed ? shape[0] : shape[1], groups: groups,
      kernel: .init(axes == 1 ? 1 : kernel[0], kernel[axes - 1]),
      stride: .init(windows.strides[0], windows.strides[1]),
      dilation: .init(windows.dilations[0], windows.dilations[1]), isDeconvolution: transposed,
      outputShape: outputSize.map { .init($0[0], $0[1]) }, hasBias: inputs.count == 3)
    result.padding = windows.padding.for2D
    let made = operation.add(result, inputs)
    return axes == 1 ? operation.add(SqueezeOperator(axes: [-2]), made) : made
  }

  /// Returns the weights of `conv_quantized`. A weight is an 8-bit integer times `quant_scale`, plus `quant_bias`.
  private static func scaledWeights(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let kind: String = try operation.string("quantization_type")
    guard kind == "linear" else {
      throw operation.unsupported(
        "'quantization_type' is '\(kind)', expected 'linear', because the operation has no lookup table."
      )
    }
    guard let integers = try operation.tensor("weight").constant?.tensor() else {
      throw operation.invalid("'weight' is computed, expected a constant of 8-bit integers.")
    }
    guard integers.shape.count > 0, let channels = integers.shape.dimensions.first else {
      throw operation.invalid("the weights are \(integers.shape), expected at least one.")
    }
    func numbers(_ name: String) throws -> [Float] {
      guard let numbers = try operation.optionalFloats(name) else {
        throw operation.invalid("the input '\(name)' is missing.")
      }
      guard numbers.count == 1 || numbers.count == channels else {
        throw operation.invalid(
          "'\(name)' holds \(numbers.count) numbers, expected 1 or \(channels), one per output channel."
        )
      }
      return numbers.count == 1 ? Array(repeating: numbers[0], count: channels) : numbers
    }
    let scales: [Float] = try numbers("quant_scale")
    let biases: [Float] = try numbers("quant_bias")
    let size: Int = integers.shape.count / channels
    let values: [Double] = integers.reals.enumerated().map { index, integer in
      Double(Float(integer) * scales[index / size] + biases[index / size])
    }
    return operation.constant(ReferenceTensor(integers.shape, values))
  }

  /// Returns the extents of the weights. They must be known, even if the model computes the values of the weights.
  private static func weightShape(_ operation: ProgramOperation, axes: Int) throws -> [Int] {
    let weights: ProgramTensor = try operation.tensor("weight")
    let extents: [Int?]? = weights.constant?.shape.dimensions ?? weights.extents
    guard let extents, extents.count == axes + 2 else {
      throw operation.invalid(
        "the weights have \(weights.rank ?? 0) dimensions, expected those of 'x', \(axes + 2).")
    }
    let known: [Int] = extents.compactMap { $0 }
    guard known.count == extents.count else {
      throw operation.unsupported("the weights' shape is not known, expected known extents.")
    }
    guard known.allSatisfy({ (1...1 << 30).contains($0) }) else {
      throw operation.invalid("the weights are \(Shape(known)), expected extents of at least 1.")
    }
    return known
  }

  /// Returns the output size that a transposed convolution states. Nil if it states no size.
  private static func outputShape(_ operation: ProgramOperation, axes: Int) throws -> [Int]? {
    guard operation.has("output_shape") else { return nil }
    let shape: [Int] = try operation.sizes("output_shape", count: axes + 2)
    return Array(shape.suffix(axes))
  }

  /// Reshapes weights `[O, I, k]` to `[O, I, 1, k]`.
  private static func flatWeights(
    _ operation: ProgramOperation, _ weights: Graph.ValueID, _ shape: [Int]
  ) throws -> Graph.ValueID {
    guard let constant = operation.builder.graph[weights].constant else {
      return operation.add(ExpandDimsOperator(axes: [-2]), weights)
    }
    return operation.builder.addConstant(
      constant.reshaped(to: Shape([shape[0], shape[1], 1, shape[2]])),
      name: "\(operation.name)/weights")
  }
}
