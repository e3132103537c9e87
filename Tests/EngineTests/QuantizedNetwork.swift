import Engine
import Operators
import Testing

/// A small network that stores int8 values between its matrix products. Each style is a representation that some format
/// uses.
struct QuantizedNetwork: Sendable, CustomTestStringConvertible {
  /// How the network converts between quantised and real values.
  enum Style: String, Sendable, CaseIterable {
    /// As in ONNX. `QuantizeLinear` divides, rounds, adds a zero point and clamps. `DequantizeLinear` subtracts the
    /// zero point and multiplies.
    case zeroPoints
    /// As in `zeroPoints`. In addition, every operator that computes new numbers rounds them to float16.
    case halves
    /// Real values are rounded to multiples of a scale. The results of convolutions and matrix products are multiplied
    /// by one factor per channel.
    case steps
  }

  /// The scale and range of a tensor's quantised values.
  struct Grid {
    var scale: Float
    var zero: Int
    var values: ClosedRange<Int>
  }

  var style: Style
  /// Whether activations are quantised to int8 (from −128). If false, they are quantised to uint8 (from 0).
  var isSigned: Bool
  var stride = 1
  var groups = 1
  /// Whether weights are stored as uint8 with a zero point of 128. If false, they are stored as int8.
  var hasUnsignedWeights = false

  var testDescription: String {
    "\(style), \(isSigned ? "int8" : "uint8"), stride \(stride), \(groups) groups"
  }

  static let all: [QuantizedNetwork] = Style.allCases.flatMap { style in
    [
      QuantizedNetwork(style: style, isSigned: true),
      QuantizedNetwork(style: style, isSigned: false, stride: 2, groups: 16),
      QuantizedNetwork(style: style, isSigned: false, hasUnsignedWeights: style != .steps),
    ]
  }

  /// The scale of the output.
  static let outputStep: Float = 0.03

  /// Builds two convolutions with a max pooling between them, a sum, an average and a matrix product.
  func graph(_ input: Shape) throws -> Graph {
    let builder = GraphBuilder()
    let channels = 16
    let x = builder.addInput("x", extents: input.dimensions.map { Extent($0) })
    let seen = grid(0.02, zero: 3)
    // The scale is no simple multiple of the other scales. If it were, sums of values with two scales would lie
    // half-way between two quantised values.
    let wide = grid(0.0531, zero: -10)
    let positive = grid(0.04, zero: isSigned ? -128 : 0)
    var value = try quantized(builder, x, seen, "input")
    value = try convolved(
      builder, value, seen, wide, 3, channels, groups: 1, relu: false, seed: 1, "first")
    let branch = value
    value = try builder.add(
      PoolingOperator(
        .maximum, padding: .valid(top: 1, bottom: 1, left: 1, right: 1)), value, name: "maximum")
    value = try convolved(
      builder, value, wide, positive, channels, channels, groups: groups, relu: true, seed: 2,
      "second")
    if stride == 1 {
      let sum = try half(
        builder, builder.add(BinaryFunctionOperator(.add), value, branch, name: "sum"))
      value = try quantized(builder, sum, positive, "added")
    }
    value = try builder.add(
      PoolingOperator(.average, isGlobal: true), value, name: "average")
    value = try quantized(builder, half(builder, value), positive, "averaged")
    value = try builder.add(
      ReshapeStaticOperator(targetShape: [input[0], channels]), value, name: "rows")
    value = try builder.add(
      BatchedMatMulOperator.ofRows,
      [value, builder.addConstant(try weights([10, channels], seed: 3), name: "W")], name: "scores")[
        0]
    let result = grid(Self.outputStep, zero: 5)
    builder.addOutput(try quantized(builder, half(builder, value), result, "output"), name: "y")
    return builder.graph
  }

  private func grid(_ scale: Float, zero: Int) -> Grid {
    let least: Int = isSigned ? -128 : 0
    return Grid(
      scale: scale, zero: isSigned ? zero : max(0, zero + 128), values: least...least + 255)
  }

  private func half(_ builder: GraphBuilder, _ value: Graph.ValueID) throws -> Graph.ValueID {
    style == .halves
      ? try builder.add(RoundOperator(to: .float16), value, name: "half") : value
  }

  /// Adds the operators that quantise a value.
  private func quantized(
    _ builder: GraphBuilder, _ value: Graph.ValueID, _ grid: Grid, _ name: String,
    isInSteps: Bool = false
  ) throws -> Graph.ValueID {
    if style == .steps {
      let steps =
        isInSteps
        ? value
        : try builder.add(
          BinaryFunctionOperator(.multiply, number: 1 / grid.scale), value, name: "\(name)/steps")
      let rounded = try builder.add(UnaryFunctionOperator(.round), steps, name: "\(name)/rounded")
      let clamped = try builder.add(
        ClipOperator(
          minimum: Float(grid.values.lowerBound - grid.zero),
          maximum: Float(grid.values.upperBound - grid.zero)), rounded, name: "\(name)/code")
      return try builder.add(
        BinaryFunctionOperator(.multiply, number: grid.scale), clamped, name: name)
    }
    let scale = builder.addConstant(ReferenceTensor([], [Double(grid.scale)]), name: "scale")
    let zero = builder.addConstant(ReferenceTensor([], [Double(grid.zero)]), name: "zero")
    var made = try builder.add(BinaryFunctionOperator(.divide), value, scale, name: "\(name)/steps")
    made = try builder.add(UnaryFunctionOperator(.round), made, name: "\(name)/rounded")
    made = try builder.add(BinaryFunctionOperator(.add), made, zero, name: "\(name)/moved")
    made = try builder.add(
      ClipOperator(
        minimum: Float(grid.values.lowerBound), maximum: Float(grid.values.upperBound)), made,
      name: "\(name)/code")
    made = try builder.add(BinaryFunctionOperator(.subtract), made, zero, name: "\(name)/back")
    return try half(
      builder, builder.add(BinaryFunctionOperator(.multiply), made, scale, name: name))
  }

  private func convolved(
    _ builder: GraphBuilder, _ value: Graph.ValueID, _ from: Grid, _ to: Grid, _ inputs: Int,
    _ outputs: Int, groups: Int, relu: Bool, seed: UInt64, _ name: String
  ) throws -> Graph.ValueID {
    let convolution = ConvolutionOperator(
      outputChannels: outputs, kernelChannels: inputs / groups, groups: groups,
      stride: .init(seed == 1 ? stride : 1, seed == 1 ? stride : 1),
      padding: .same(topLeftHeavy: false), hasBias: true)
    let factors = Self.factors(outputs)
    var generator = SplitMix64(seed: seed + 40)
    if style == .steps {
      var steps = try builder.add(
        BinaryFunctionOperator(.multiply, number: 1 / from.scale), value, name: "\(name)/input")
      steps = try builder.add(UnaryFunctionOperator(.round), steps, name: "\(name)/values")
      let bias = (0..<outputs).map { _ in generator.uniform(-300...300).rounded() }
      var sum = try builder.add(
        convolution,
        [
          steps,
          builder.addConstant(
            try weights(convolution.weightShape, seed: seed, ones: true), name: "W"),
          builder.addConstant(ReferenceTensor([outputs], bias), name: "b"),
        ], name: name)[0]
      sum = try builder.add(UnaryFunctionOperator(.round), sum, name: "\(name)/sum")
      let joint = factors.map { Double($0 * from.scale / to.scale) }
      let factor = builder.addConstant(ReferenceTensor([outputs, 1, 1], joint), name: "factors")
      sum = try builder.add(BinaryFunctionOperator(.multiply), sum, factor, name: "\(name)/out")
      // The clamp to the quantised range acts as the ReLU.
      return try quantized(builder, sum, to, name, isInSteps: true)
    }
    let bias = (0..<outputs).map { _ in Double(Float(generator.uniform(-0.5...0.5))) }
    var made = try builder.add(
      convolution,
      [
        value, builder.addConstant(try weights(convolution.weightShape, seed: seed), name: "W"),
        builder.addConstant(ReferenceTensor([outputs], bias), name: "b"),
      ], name: name)[0]
    made = try half(builder, made)
    if relu { made = try builder.add(ActivationOperator(.reLU), made, name: "\(name)/relu") }
    return try quantized(builder, made, to, "\(name)/quantized")
  }

  private static func factors(_ channels: Int) -> [Float] {
    (0..<channels).map { 0.002 + Float($0) * 0.0001 }
  }

  /// Creates int8 weights with one scale per channel. The weights contain the minimum and the maximum of int8.
  private func weights(_ shape: Shape, seed: UInt64, ones: Bool = false) throws -> Constant {
    var generator = SplitMix64(seed: seed)
    let middle: Int = hasUnsignedWeights ? 128 : 0
    let values: [UInt8] = (0..<shape.count).map { index in
      let code: Int =
        index < 4 ? [127, 127, -128, 127][index] : Int.random(in: -100...100, using: &generator)
      return UInt8(truncatingIfNeeded: code + middle)
    }
    var extents = [Int](repeating: 1, count: shape.rank)
    extents[0] = shape[0]
    let scales: [Float] = ones ? [Float](repeating: 1, count: shape[0]) : Self.factors(shape[0])
    return try Constant.scaled(
      Constant(
        TensorType(shape), StoredValues(values, of: hasUnsignedWeights ? .uint8 : .int8)),
      by: Constant(Shape(extents), scales),
      from: middle == 0 ? nil : .repeating(Float(middle), Shape(extents)))
  }
}
