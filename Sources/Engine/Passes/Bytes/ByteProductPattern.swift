import Graph
import Operators

/// A product of codes with weights of 8 bits, and what follows it up to the next codes.
struct ByteProductPattern {
  /// What computes all of it.
  private(set) var operation: any Operator
  /// What is multiplied.
  let input: CodedValue
  /// The weights, whole numbers.
  let weights: Constant
  /// A factor and a bias per output channel: `factor · (Σ + bias)`.
  private(set) var factors: [Float], bias: [Float]
  /// The node that keeps the result to the range of codes, its output, and that range; nil where the result stays
  /// a real number.
  private(set) var end: (position: Int, value: Graph.ValueID, codes: ClosedRange<Int>)?

  /// Sums of so many products fit 32 bits.
  private static let mostProducts = 65_000

  /// Nil where the node is no such product.
  init?(_ node: Graph.Node, in rewriting: ByteRewriting) throws {
    guard let product = PlainProduct(node, in: rewriting.graph),
      let known = rewriting.coded[node.inputs[0]],
      product.productsPerSum <= Self.mostProducts,
      let matrix = ByteWeights(
        product.weights, axis: product.channelAxis, isTransposed: product.isTransposed)
    else { return nil }
    input = known
    weights = matrix.codes
    factors = matrix.factors.map { $0 * known.scale }
    guard factors.allSatisfy({ $0.isNormal }) else { return nil }
    let added: [Float] = try product.bias?.floats() ?? [Float](repeating: 0, count: factors.count)
    guard added.count == factors.count else { return nil }
    bias = zip(added, factors).map { ByteEnding.inSums($0, factor: $1) }
    guard bias.allSatisfy(\.isFinite) else { return nil }
    let zero: Int = known.zero - known.codes.lowerBound
    operation = product.operation(zero: zero, ByteEpilogue())
    var ending = ByteEnding(factors, bias, channelAxis: product.resultAxis)
    if ending.follow(node.outputs[0], in: rewriting) {
      (factors, bias, end) = (ending.factors, ending.bias, ending.end)
      operation = product.operation(zero: zero, ending.epilogue)
    }
  }
}

/// A convolution or a product of rows with a constant matrix, with nothing fused yet.
private struct PlainProduct {
  let weights: Constant
  let bias: Constant?
  let channelAxis: Int
  let isTransposed: Bool
  let productsPerSum: Int
  /// The axis of the channels in the result, from the end.
  let resultAxis: Int
  private let convolution: ConvolutionOperator?
  private let joinsPlanes: Bool

  init?(_ node: Graph.Node, in graph: Graph) {
    let constants: [Constant?] = node.inputs.map { graph[$0].constant }
    guard constants.count > 1, constants[0] == nil, let weights = constants[1] else { return nil }
    self.weights = weights
    switch node.operation {
    case let layer as ConvolutionOperator:
      guard !layer.isDeconvolution, layer.upsampling == 1, layer.residual == nil,
        layer.activation == nil, layer.ceiling == nil, !layer.appliesFactors
      else { return nil }
      convolution = layer
      productsPerSum = layer.kernelChannels * layer.kernel.height * layer.kernel.width
      (channelAxis, isTransposed, resultAxis, joinsPlanes) = (0, false, -3, false)
    case let layer as InnerProductOperator:
      guard layer.activation == nil, let rank = graph[node.inputs[0]].type?.shape.rank else {
        return nil
      }
      convolution = nil
      productsPerSum = weights.shape[-1]
      joinsPlanes = rank >= 4
      (channelAxis, isTransposed, resultAxis) = (0, false, joinsPlanes ? -3 : -1)
    case let layer as BatchedMatMulOperator:
      guard layer.epilogue == nil, !layer.transposesLeft, weights.shape.rank == 2,
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
