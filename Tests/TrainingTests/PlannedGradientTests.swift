import Engine
import Operators
import Testing
import Training

/// Tests the gradient that a planned and fused graph computes, in both precisions.
@Suite("A planned gradient")
struct PlannedGradientTests {
  /// Builds a small network with the operators of style networks and of classifiers: padding, convolutions whose
  /// weights are inputs, norms, pooling, upsampling, a residual, a dense layer and a cross entropy.
  private func function(_ precision: Precision) throws -> (DifferentiableFunction, [[Float]]) {
    var graph = Graph()
    let picture = graph.addInput("picture", [2, 3, 20, 18])
    let shapes: [Shape] = [
      [16, 3, 3, 3], [16, 16, 3, 3], [16], [16], [16, 16, 3, 3], [16], [5, 16], [5],
    ]
    let parameters: [Graph.ValueID] = shapes.enumerated().map {
      graph.addInput("parameter \($0)", $1)
    }
    func convolution(_ inputs: Int, bias: Bool, padding: Int) -> ConvolutionOperator {
      ConvolutionOperator(
        outputChannels: 16, kernelChannels: inputs,
        padding: .valid(top: padding, left: padding, bottom: padding, right: padding), hasBias: bias
      )
    }
    let norm = BatchNormOperator(channels: 16, statistics: .instance, epsilon: 1e-3)
    let padded = try graph.apply(
      PaddingOperator(
        amounts: EdgeAmounts(top: 1, bottom: 1, left: 1, right: 1), mode: .reflection),
      to: [picture], name: "padding")
    let first = try graph.apply(
      convolution(3, bias: false, padding: 0), to: [padded, parameters[0]], name: "first")
    let bent = try graph.apply(ActivationOperator(.tanh), to: [first], name: "tanh")
    let pooled = try graph.apply(
      PoolingOperator(.maximum, kernelHeight: 2, kernelWidth: 2, strideHeight: 2, strideWidth: 2),
      to: [bent], name: "pooling")
    let second = try graph.apply(
      convolution(16, bias: false, padding: 1), to: [pooled, parameters[1]], name: "second")
    let normed = try graph.apply(
      norm, to: [second, parameters[2], parameters[3]], name: "norm")
    let gated = try graph.apply(ActivationOperator(.elu(alpha: 1)), to: [normed], name: "elu")
    let joined = try graph.apply(AddOperator(inputCount: 2), to: [gated, pooled], name: "residual")
    let large = try graph.apply(
      UpsampleOperator(heightFactor: 2, widthFactor: 2), to: [joined], name: "upsampling")
    let third = try graph.apply(
      convolution(16, bias: true, padding: 1), to: [large, parameters[4], parameters[5]],
      name: "third")
    let smooth = try graph.apply(ActivationOperator(.softplus), to: [third], name: "softplus")
    let means = try graph.apply(PoolingOperator.global(.average), to: [smooth], name: "means")
    let dense = try graph.apply(
      InnerProductOperator(),
      to: [means, parameters[6], parameters[7]], name: "dense")
    let likely = try graph.apply(SoftmaxOperator(), to: [dense], name: "softmax")
    let logs = try graph.apply(
      UnaryOperator(.logarithm(epsilon: 0)), to: [likely], name: "logarithm")
    let truth = graph.addConstant(
      ReferenceTensor([2, 5, 1, 1], [1, 0, 0, 0, 0, 0, 0, 0, 1, 0]), name: "truth")
    let hits = try graph.apply(MultiplyOperator(inputCount: 2), to: [logs, truth], name: "hits")
    let sum = try graph.apply(
      ReduceAxesOperator(.sum, axes: [], keepsAxes: false), to: [hits], name: "sum")
    let loss = try graph.apply(
      MultiplyOperator(inputCount: 1, alpha: -1), to: [sum], name: "loss")
    let function = try DifferentiableFunction(
      graph, loss: loss, withRespectTo: graph.inputs,
      options: ExecutionOptions(precision: precision))
    var generator = SplitMix64(seed: 5)
    let values: [[Float]] = graph.inputs.map { input in
      let shape: Shape = graph[input].type?.shape ?? []
      let spread: Double = shape.rank == 4 && shape[1] == 16 ? 0.15 : 0.6
      return (0..<shape.count).map { _ in Float(generator.uniform(-spread...spread)) }
    }
    return (function, values)
  }

  @Test(
    "The forward pass and the gradients of inputs and weights use matrix tiles if available"
  )
  func matrixTiles() throws {
    var graph = Graph()
    let picture = graph.addInput("picture", [2, 32, 20, 40])
    let weights = graph.addInput("weights", [48, 32, 3, 3])
    let strided = graph.addInput("strided weights", [32, 48, 3, 3])
    let first = try graph.apply(
      ConvolutionOperator(
        outputChannels: 48, kernelChannels: 32,
        padding: .valid(top: 1, left: 1, bottom: 1, right: 1)), to: [picture, weights],
      name: "first")
    let bent = try graph.apply(ActivationOperator(.tanh), to: [first], name: "tanh")
    let second = try graph.apply(
      ConvolutionOperator(
        outputChannels: 32, kernelChannels: 48, stride: ConvolutionOperator.Pair(2, 2),
        padding: .valid(top: 1, left: 1, bottom: 1, right: 1)), to: [bent, strided],
      name: "second")
    let loss = try graph.apply(
      ReduceAxesOperator(.sumOfSquares, axes: [], keepsAxes: false), to: [second], name: "loss")
    func kernels(_ processor: Processor) throws -> [String] {
      let function = try DifferentiableFunction(
        graph, loss: loss, withRespectTo: graph.inputs,
        options: ExecutionOptions(precision: .bfloat16, threads: 2, processor: processor))
      return function.plan.calls.filter { $0.kind.hasPrefix("Convolution") }.map(\.kernel)
    }
    let emulated: [String] = try kernels(
      Processor(
        hasAVX512: true, hasBFloat16: true, hasMatrixTiles: false, emulatesMatrixTiles: true))
    #expect(emulated.count == 6)
    #expect(emulated.allSatisfy { $0.hasSuffix("on matrix tiles") }, "\(emulated)")
    let plain: [String] = try kernels(
      Processor(hasAVX512: true, hasBFloat16: true, hasMatrixTiles: false))
    #expect(plain.allSatisfy { !$0.contains("matrix tiles") }, "\(plain)")
  }

  @Test("A planned gradient is the slope of the loss along every input")
  func slopes() throws {
    let (function, values) = try function(.float32)
    let (report, gradients) = try function.evaluate(values)
    try #require(report[0].isFinite)
    for (index, gradient) in gradients.enumerated() {
      let square: Float = gradient.reduce(0) { $0 + $1 * $1 }
      try #require(square > 0)
      // The step is large enough that the loss changes by much more than its rounding error. It is small enough that
      // the change stays linear in the step.
      let step: Float = 0.002 / square
      func loss(_ factor: Float) throws -> Float {
        var moved: [[Float]] = values
        for element in gradient.indices { moved[index][element] += factor * gradient[element] }
        return try function.evaluate(moved).report[0]
      }
      let slope: Float = (try loss(step) - loss(-step)) / (2 * step)
      #expect(abs(slope / square - 1) < 0.02, "input \(index): \(slope), expected \(square)")
    }
  }

  @Test("A planned gradient has nearly the same direction in bfloat16 and in float32")
  func halfPrecision() throws {
    let (exact, values) = try function(.float32)
    let (half, _) = try function(.bfloat16)
    let truth = try exact.evaluate(values).gradients
    let found = try half.evaluate(values).gradients
    for (index, (one, other)) in zip(truth, found).enumerated() {
      func product(_ left: [Float], _ right: [Float]) -> Float {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
      }
      let cosine: Float =
        product(one, other) / (product(one, one) * product(other, other)).squareRoot()
      #expect(cosine > 0.97, "input \(index): \(cosine)")
    }
  }
}
