import Engine
import Operators
import Testing

/// A small network whose values are codes of 8 bits between its products, stated in one of the ways in which formats
/// state them.
struct CodedNetwork: Sendable, CustomTestStringConvertible {
  /// How codes and numbers become each other.
  enum Style: String, Sendable, CaseIterable {
    /// `QuantizeLinear` and `DequantizeLinear`: divided, rounded, moved by a zero point, kept to a range, and back.
    case zeroPoints
    /// The same with a rounding to float16 after each operator that computes.
    case halves
    /// The codes' numbers themselves, rounded to steps; products of steps have one factor a channel.
    case steps
  }

  /// What a tensor's codes mean.
  struct Grid {
    var scale: Float
    var zero: Int
    var codes: ClosedRange<Int>
  }

  var style: Style
  /// The codes of activations: from −128 or from 0 on.
  var isSigned: Bool
  var stride = 1
  var groups = 1
  /// Codes of weights with 128 in the middle.
  var hasUnsignedWeights = false

  var testDescription: String {
    "\(style), \(isSigned ? "int8" : "uint8"), stride \(stride), \(groups) groups"
  }

  static let all: [CodedNetwork] = Style.allCases.flatMap { style in
    [
      CodedNetwork(style: style, isSigned: true),
      CodedNetwork(style: style, isSigned: false, stride: 2, groups: 16),
      CodedNetwork(style: style, isSigned: false, hasUnsignedWeights: style != .steps),
    ]
  }

  /// The step of the output.
  static let outputStep: Float = 0.03

  /// Two convolutions with a maximum between, a sum, an average and a product of rows.
  func graph(_ input: Shape) throws -> Graph {
    let builder = GraphBuilder()
    let channels = 16
    let x = builder.addInput("x", extents: input.dimensions.map { Extent($0) })
    let seen = grid(0.02, zero: 3)
    // No simple multiple of the others: sums of both would lie between two codes.
    let wide = grid(0.0531, zero: -10)
    let positive = grid(0.04, zero: isSigned ? -128 : 0)
    var value = try coded(builder, x, seen, "input")
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
      value = try coded(builder, sum, positive, "added")
    }
    value = try builder.add(
      PoolingOperator(.average, isGlobal: true), value, name: "average")
    value = try coded(builder, half(builder, value), positive, "averaged")
    value = try builder.add(
      ReshapeStaticOperator(targetShape: [input[0], channels]), value, name: "rows")
    value = try builder.add(
      BatchedMatMulOperator.ofRows,
      [value, builder.addConstant(try weights([10, channels], seed: 3), name: "W")], name: "scores")[
        0]
    let result = grid(Self.outputStep, zero: 5)
    builder.addOutput(try coded(builder, half(builder, value), result, "output"), name: "y")
    return builder.graph
  }

  private func grid(_ scale: Float, zero: Int) -> Grid {
    let least: Int = isSigned ? -128 : 0
    return Grid(
      scale: scale, zero: isSigned ? zero : max(0, zero + 128), codes: least...least + 255)
  }

  private func half(_ builder: GraphBuilder, _ value: Graph.ValueID) throws -> Graph.ValueID {
    style == .halves
      ? try builder.add(RoundOperator(to: .float16), value, name: "half") : value
  }

  /// A value rounded to codes.
  private func coded(
    _ builder: GraphBuilder, _ value: Graph.ValueID, _ grid: Grid, _ name: String,
    isInSteps: Bool = false
  ) throws -> Graph.ValueID {
    if style == .steps {
      let steps =
        isInSteps
        ? value
        : try builder.add(
          BinaryFunctionOperator(.multiply, number: 1 / grid.scale), value, name: "\(name)/steps")
      let whole = try builder.add(UnaryFunctionOperator(.round), steps, name: "\(name)/whole")
      let kept = try builder.add(
        ClipOperator(
          minimum: Float(grid.codes.lowerBound - grid.zero),
          maximum: Float(grid.codes.upperBound - grid.zero)), whole, name: "\(name)/code")
      return try builder.add(
        BinaryFunctionOperator(.multiply, number: grid.scale), kept, name: name)
    }
    let scale = builder.addConstant(ReferenceTensor([], [Double(grid.scale)]), name: "scale")
    let zero = builder.addConstant(ReferenceTensor([], [Double(grid.zero)]), name: "zero")
    var made = try builder.add(BinaryFunctionOperator(.divide), value, scale, name: "\(name)/steps")
    made = try builder.add(UnaryFunctionOperator(.round), made, name: "\(name)/whole")
    made = try builder.add(BinaryFunctionOperator(.add), made, zero, name: "\(name)/moved")
    made = try builder.add(
      ClipOperator(
        minimum: Float(grid.codes.lowerBound), maximum: Float(grid.codes.upperBound)), made,
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
    var generator = SampleGenerator(seed: seed + 40)
    if style == .steps {
      var steps = try builder.add(
        BinaryFunctionOperator(.multiply, number: 1 / from.scale), value, name: "\(name)/input")
      steps = try builder.add(UnaryFunctionOperator(.round), steps, name: "\(name)/codes")
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
      // The ReLU is the range that the codes are kept to.
      return try coded(builder, sum, to, name, isInSteps: true)
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
    return try coded(builder, made, to, "\(name)/coded")
  }

  private static func factors(_ channels: Int) -> [Float] {
    (0..<channels).map { 0.002 + Float($0) * 0.0001 }
  }

  /// Codes of 8 bits with a scale a channel; the least and the greatest number among them.
  private func weights(_ shape: Shape, seed: UInt64, ones: Bool = false) throws -> Constant {
    var generator = SampleGenerator(seed: seed)
    let middle: Int = hasUnsignedWeights ? 128 : 0
    let codes: [UInt8] = (0..<shape.count).map { index in
      let code: Int =
        index < 4 ? [127, 127, -128, 127][index] : Int.random(in: -100...100, using: &generator)
      return UInt8(truncatingIfNeeded: code + middle)
    }
    var extents = [Int](repeating: 1, count: shape.rank)
    extents[0] = shape[0]
    let scales: [Float] = ones ? [Float](repeating: 1, count: shape[0]) : Self.factors(shape[0])
    return try Constant.scaled(
      Constant(
        TensorType(shape), StoredValues(codes, of: hasUnsignedWeights ? .uint8 : .int8)),
      by: Constant(Shape(extents), scales),
      from: middle == 0 ? nil : .repeating(Float(middle), Shape(extents)))
  }
}
