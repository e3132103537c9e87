import Graph
import Operators

/// A matrix product or convolution that multiplies quantised values by 8-bit weights. The pattern also contains the
/// operators after it, up to the operator that quantises the result.
struct ByteProductPattern {
  /// The operator that replaces the matched nodes.
  private(set) var operation: any Operator
  /// The quantised values that the matrix product or convolution reads.
  let input: QuantizedValue
  /// The weights, as integers from −128 to 127.
  let weights: Constant
  /// The factor and the bias of each output channel. The result of a channel is `factor · (Σ + bias)` for an integer
  /// sum Σ.
  private(set) var factors: [Float], bias: [Float]
  /// The position of the node that clips the result to the range of quantised values, the node's output, and the range.
  /// Nil if the result remains a real number.
  private(set) var end: (position: Int, value: Graph.ValueID, range: ClosedRange<Int>)?

  /// The largest allowed number of multiply-adds per sum. A sum of this many multiply-adds of 8-bit values always fits
  /// into 32 bits.
  private static let maximumProductsPerSum = 65_000

  /// Matches a node and the operators after it. Nil if the node is not a matrix product or convolution of quantised
  /// values with 8-bit weights.
  init?(_ node: Graph.Node, in rewriting: ByteRewriting) throws {
    guard let product = PlainProduct(node, in: rewriting.graph),
      let known = rewriting.quantized[node.inputs[0]],
      product.productsPerSum <= Self.maximumProductsPerSum,
      let matrix = ByteWeights(
        product.weights, axis: product.channelAxis, isTransposed: product.isTransposed)
    else { return nil }
    input = known
    weights = matrix.integers
    factors = matrix.factors.map { $0 * known.scale }
    guard factors.allSatisfy({ $0.isNormal }) else { return nil }
    let added: [Float] = try product.bias?.floats() ?? [Float](repeating: 0, count: factors.count)
    guard added.count == factors.count else { return nil }
    bias = zip(added, factors).map { ByteEpiloguePattern.inSumUnits($0, factor: $1) }
    guard bias.allSatisfy(\.isFinite) else { return nil }
    let zero: Int = known.zero - known.range.lowerBound
    operation = product.operation(zero: zero, ByteEpilogue())
    var pattern = ByteEpiloguePattern(factors, bias, channelAxis: product.resultAxis)
    if pattern.follow(node.outputs[0], in: rewriting) {
      (factors, bias, end) = (pattern.factors, pattern.bias, pattern.end)
      operation = product.operation(zero: zero, pattern.epilogue)
    }
  }
}

/// A convolution or matrix product with constant weights. No pass has fused an operator into it yet.
private struct PlainProduct {
  let weights: Constant
  let bias: Constant?
  /// The axis of the weights that holds the output channels.
  let channelAxis: Int
  /// Whether the weights are a matrix `[input, output]`. Kernels need its transpose.
  let isTransposed: Bool
  /// The number of multiply-adds per element of the result.
  let productsPerSum: Int
  /// The axis of the result that holds the channels, counted from the end.
  let resultAxis: Int
  /// The convolution; nil for a matrix product.
  private let convolution: ConvolutionOperator?
  /// Whether each row of the first matrix of a matrix product consists of all channels, rows and columns of an image.
  private let joinsPlanes: Bool

  init?(_ node: Graph.Node, in graph: Graph) {
    let constants: [Constant?] = node.inputs.map { graph[$0].constant }
    guard constants.count > 1, constants[0] == nil, let weights = constants[1] else { return nil }
    self.weights = weights
    switch node.operation {
    case let layer as ConvolutionOperator:
      guard !layer.isDeconvolution else { return nil }
      convolution = layer
      productsPerSum = layer.kernelChannels * layer.kernel.height * layer.kernel.width
      (channelAxis, isTransposed, resultAxis, joinsPlanes) = (0, false, -3, false)
    case is InnerProductOperator:
      guard let rank = graph[node.inputs[0]].type?.shape.rank else { return nil }
      convolution = nil
      productsPerSum = weights.shape[-1]
      joinsPlanes = rank >= 4
      (channelAxis, isTransposed, resultAxis) = (0, false, joinsPlanes ? -3 : -1)
    case let layer as BatchedMatMulOperator:
      guard !layer.transposesLeft, weights.shape.rank == 2,
        let rank = graph[node.inputs[0]].type?.shape.rank, rank > 1 || layer.multipliesRows
      else { return nil }
      convolution = nil
      let isAsRead: Bool = layer.multipliesRows || layer.transposesRight
      (channelAxis, isTransposed) = isAsRead ? (0, false) : (1, true)
      productsPerSum = weights.shape[isAsRead ? 1 : 0]
      (resultAxis, joinsPlanes) = (-1, false)
    default: return nil
    }
    guard node.inputs.count == 2 || constants.last != nil, node.inputs.count <= 3 else {
      return nil
    }
    bias = constants.count > 2 ? constants[2] : nil
    if node.inputs.count == 3, bias == nil { return nil }
  }

  func operation(zero: Int, _ epilogue: ByteEpilogue) -> any Operator {
    if let convolution {
      return ByteConvolutionOperator(convolution, zero: zero, epilogue: epilogue)
    }
    return ByteProductOperator(joinsPlanes: joinsPlanes, zero: zero, epilogue: epilogue)
  }
}
