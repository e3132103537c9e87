import Engine
import NetworkRuns
import Operators
import Testing

@Suite("Hard swishes are recognised")
struct HardSwishPassTests {
  /// A network after a convolution: adds nodes to a graph.
  private struct Builder {
    var graph = Graph()
    let x: Graph.ValueID
    let sum: Graph.ValueID

    init() {
      x = graph.addValue("x")
      graph.inputs = [x]
      var generator = SplitMix64(seed: 3)
      let weights = graph.addConstant(
        Constant(
          [24, 16, 1, 1], (0..<384).map { _ in Float(generator.uniform(-8...8).rounded() / 8) }),
        name: "weights")
      sum = graph.addValue("sum")
      graph.nodes = [
        Graph.Node(
          name: "convolution",
          operation: ConvolutionOperator(
            outputChannels: 24, kernelChannels: 16, kernel: .init(1, 1)),
          inputs: [x, weights], outputs: [sum])
      ]
    }

    mutating func add(_ operation: any Operator, _ inputs: Graph.ValueID...) -> Graph.ValueID {
      let result = graph.addValue("value \(graph.nodes.count)")
      graph.nodes.append(
        Graph.Node(
          name: "node \(graph.nodes.count)", operation: operation, inputs: inputs,
          outputs: [result]))
      return result
    }

    mutating func number(_ value: Float) -> Graph.ValueID {
      graph.addConstant(Constant([], [value]), name: "number")
    }

    mutating func hardSigmoid(_ value: Graph.ValueID, beta: Float = 0.5) -> Graph.ValueID {
      add(ActivationOperator(.sigmoidHard(alpha: 1 / 6, beta: beta)), value)
    }

    mutating func times(_ left: Graph.ValueID, _ right: Graph.ValueID) -> Graph.ValueID {
      add(BinaryFunctionOperator(.multiply), left, right)
    }

    mutating func clipped(_ value: Graph.ValueID, to ceiling: Float = 6) -> Graph.ValueID {
      let three = number(3)
      let shifted = add(BinaryFunctionOperator(.add), three, value)
      return add(ClipOperator(minimum: 0, maximum: ceiling), shifted)
    }
  }

  /// What follows the convolution.
  enum Form: CaseIterable {
    case hardSigmoid, threshold, clipThenFactor, factorOfGate, factorOfValue, quotient, formula
    case otherSlope, rectifiers, float16, float16Threshold
    case lowerCeiling, otherThreshold, gateOfInput, negativeFactor, float16Clip, gateIsRounded

    /// The number of nodes that remain. 1 if the function is recognised, and fused into the convolution.
    var count: Int {
      switch self {
      case .lowerCeiling, .otherThreshold, .gateOfInput, .negativeFactor, .float16Clip: 2
      case .gateIsRounded: 2
      default: 1
      }
    }

    var isFloat16: Bool {
      switch self {
      case .float16, .float16Threshold, .float16Clip: true
      default: false
      }
    }
  }

  private func graph(_ form: Form) -> Graph {
    var all = Builder()
    let rounding = RoundOperator(to: .float16)
    var sum: Graph.ValueID = all.sum
    if form.isFloat16 { sum = all.add(rounding, sum) }
    var result: Graph.ValueID
    switch form {
    case .hardSigmoid:
      let gate = all.hardSigmoid(sum)
      result = all.times(gate, sum)
    case .threshold, .otherThreshold:
      let bound: Float = form == .threshold ? -3 : -2
      let bounded = all.add(ActivationOperator(.thresholdedReLU(alpha: bound)), sum)
      let gate = all.hardSigmoid(bounded)
      result = all.times(bounded, gate)
    case .clipThenFactor:
      let product = all.times(sum, all.clipped(sum))
      result = all.add(MultiplyOperator(inputCount: 1, alpha: 1 / 6), product)
    case .factorOfGate, .lowerCeiling, .negativeFactor:
      let factor: Float = form == .negativeFactor ? -1 / 6 : 1 / 6
      let gate = all.add(
        BinaryFunctionOperator(.multiply, number: factor),
        all.clipped(sum, to: form == .lowerCeiling ? 5 : 6))
      result = all.times(sum, gate)
    case .factorOfValue:
      let sixth = all.add(ActivationOperator(.linear(alpha: 1 / 6, beta: 0)), sum)
      result = all.times(sixth, all.clipped(sum))
    case .quotient:
      let six = all.number(6)
      let product = all.times(all.clipped(sum), sum)
      result = all.add(BinaryFunctionOperator(.divide), product, six)
    case .formula:
      let x: Formula = .operand(0)
      let formula: Formula = x * .operation(.minimum, .operation(.maximum, x / 6 + 0.5, 0), 1)
      result = all.add(FormulaOperator(formula, inputCount: 1), sum)
    case .otherSlope:
      result = all.times(sum, all.hardSigmoid(sum, beta: 0.25))
    case .rectifiers:
      let shifted = all.add(AddOperator(inputCount: 1, alpha: 3), sum)
      let positive = all.add(ActivationOperator(.reLU), shifted)
      let gate = all.add(BinaryFunctionOperator(.minimum, number: 6), positive)
      let product = all.times(sum, gate)
      result = all.add(BinaryFunctionOperator(.divide, number: 6), product)
    case .gateOfInput:
      let gate = all.hardSigmoid(all.add(ActivationOperator(.tanh), sum))
      result = all.times(sum, gate)
    case .float16, .float16Threshold:
      if form == .float16Threshold {
        sum = all.add(ActivationOperator(.thresholdedReLU(alpha: -3)), sum)
      }
      let gate = all.add(rounding, all.hardSigmoid(sum))
      result = all.add(rounding, all.times(sum, gate))
    case .float16Clip:
      let three = all.number(3)
      let shifted = all.add(rounding, all.add(BinaryFunctionOperator(.add), sum, three))
      let gate = all.add(ClipOperator(minimum: 0, maximum: 6), shifted)
      let product = all.add(rounding, all.times(sum, gate))
      result = all.add(rounding, all.add(MultiplyOperator(inputCount: 1, alpha: 1 / 6), product))
    case .gateIsRounded:
      // The sum and the product are not rounded, so only the function itself becomes one operator.
      let gate = all.add(rounding, all.hardSigmoid(sum))
      result = all.add(ActivationOperator(.tanh), all.times(sum, gate))
    }
    all.graph.outputs = [result]
    return all.graph
  }

  @Test("Each way of writing the function gives its values", arguments: Form.allCases)
  func recognises(form: Form) throws {
    let shape: Shape = [1, 16, 9, 8]
    var generator = SplitMix64(seed: 5)
    let input = ReferenceTensor(
      shape, (0..<shape.count).map { _ in generator.uniform(-24...24).rounded() / 8 })
    let graph: Graph = graph(form)
    var optimized: Graph = graph
    try optimized.inferTypes(from: [TensorType(shape)])
    for pass in GraphPasses.standard { try pass.run(on: &optimized) }
    #expect(optimized.nodes.count == form.count)
    let isFused: Bool =
      (optimized.nodes[0].operation as? FusedConvolution)?.epilogue.contains {
        if case .hardSwish = $0 { true } else { false }
      } ?? false
    #expect(isFused == (form.count == 1 || form == .gateIsRounded))

    let made = try Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1)
    ).run([input])[0]
    let expected = try Network(graph, passes: [], options: ExecutionOptions(threads: 1))
      .run([input])[0]
    // The sums are exact, so what is rounded to float16 is the same.
    let comparison = Comparison(made, to: expected)
    #expect(comparison.error <= (form.isFloat16 ? 0 : 2e-5), "\(comparison)")
  }
}
