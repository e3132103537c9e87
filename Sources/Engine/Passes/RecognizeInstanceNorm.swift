import Graph
import Operators

/// Recognises an instance norm that a network computes with several simpler operators. Replaces these operators by one
/// operator.
///
///     mean = average(x)                     x ─ instance norm(γ, β)
///     variance = average(x²) − mean²
///     g = γ / √(variance + ε)
///     y = x · g + (β − mean · g)
///
/// Style-transfer networks that know many styles contain such norms, because they compute γ and β from the style. The
/// single operator is much faster. It is also more precise: `average(x²) − mean²` is a difference of two large
/// averages, which has few correct digits, and none if the image is stored as `bfloat16`.
///
/// A network may compute an average as a sum multiplied by a constant 1 / (number of pixels). The constant is right
/// only for the image size in the file. At another image size the product is no average, and the pass does not replace
/// the operators.
public enum RecognizeInstanceNorm: GraphPass {
  public static let name = "RecognizeInstanceNorm"

  public static func run(on graph: inout Graph) throws {
    // Only the operators of the norm read the norm's intermediate results. After the replacement these operators are
    // dead code, which `RemoveDeadCode` removes below.
    let reader = DecomposedNorm(graph: graph, writers: graph.writers())
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard node.outputs.count == 1, let norm = reader.norm(of: node.outputs[0]) else { continue }
      let layer = BatchNormOperator(
        channels: norm.channels, statistics: .instance, epsilon: norm.epsilon)
      graph.nodes[position] = Graph.Node(
        name: node.name, operation: layer, inputs: [norm.input, norm.gamma, norm.beta],
        outputs: node.outputs)
    }
    try RemoveDeadCode.run(on: &graph)
  }
}

/// Matches the formula of an instance norm. Begins at the result of the norm and ends at its input.
private struct DecomposedNorm {
  /// The operands and parameters of a recognised instance norm.
  struct Norm {
    var input: Graph.ValueID
    var gamma: Graph.ValueID
    var beta: Graph.ValueID
    var epsilon: Float
    var channels: Int
  }

  let graph: Graph
  let writers: [Int?]

  /// Matches `x · g + (β − mean(x) · g)` with `g = γ / √(variance(x) + ε)`. Nil if other operators compute the value.
  func norm(of value: Graph.ValueID) -> Norm? {
    guard let shape = graph[value].type?.shape, shape.rank >= 3 else { return nil }
    for (scaled, shift) in orders(of: sum(value)) {
      guard let (beta, subtracted) = difference(shift) else { continue }
      for (input, factor) in orders(of: product(scaled)) {
        guard graph[input].type?.shape == shape,
          let centre = orders(of: product(subtracted)).first(where: { $0.1 == factor })?.0,
          isAverage(centre, of: input, squared: false)
        else { continue }
        for (root, gamma) in orders(of: product(factor)) {
          guard let (epsilon, variance) = reciprocalRoot(root),
            isVariance(variance, of: input, around: centre), epsilon > 0,
            isPerChannel(gamma, shape), isPerChannel(beta, shape)
          else { continue }
          return Norm(
            input: input, gamma: gamma, beta: beta, epsilon: epsilon, channels: shape[-3])
        }
      }
    }
    return nil
  }

  /// Returns whether a value has one number per channel of `shape`, and all samples share these numbers.
  private func isPerChannel(_ value: Graph.ValueID, _ shape: Shape) -> Bool {
    guard let other = graph[value].type?.shape, other.rank == shape.rank else { return false }
    return other.count == shape[-3] && other[-3] == shape[-3]
  }

  /// Returns whether a value is `average(x²) − mean²`, where x is `input`.
  private func isVariance(
    _ value: Graph.ValueID, of input: Graph.ValueID, around mean: Graph.ValueID
  ) -> Bool {
    guard let (squares, square) = difference(value), isAverage(squares, of: input, squared: true)
    else { return false }
    return squared(square) == mean
  }

  /// Returns whether a value is the average over the rows and columns of `input`. If `squared` is true, it must be the
  /// average of the squares of `input`.
  private func isAverage(
    _ value: Graph.ValueID, of input: Graph.ValueID, squared: Bool
  ) -> Bool {
    guard let shape = graph[input].type?.shape else { return false }
    var sum = value
    var factor: Double = 1
    while let node = node(value: sum), let scaled = multiplied(node) {
      factor *= Double(scaled.factor)
      sum = scaled.value
    }
    guard let node = node(value: sum), let reduction = node.operation as? ReduceOperator,
      reduction.axes.sorted() == [-2, -1]
    else { return false }
    let pixels = Double(shape[-1]) * Double(shape[-2])
    let isOfSquares: Bool
    switch reduction.mode {
    case .mean: isOfSquares = self.squared(node.inputs[0]) == input
    case .sum:
      factor *= pixels
      isOfSquares = self.squared(node.inputs[0]) == input
    case .sumOfSquares:
      factor *= pixels
      isOfSquares = node.inputs[0] == input
      guard squared else { return false }
    default: return false
    }
    guard abs(factor - 1) < 1e-5 else { return false }
    return squared ? isOfSquares : node.inputs[0] == input
  }

  /// Matches `1 / √(v + ε)`. Returns ε and v; nil if other operators compute the value.
  private func reciprocalRoot(_ value: Graph.ValueID) -> (epsilon: Float, value: Graph.ValueID)? {
    guard let node = node(value: value), let unary = node.operation as? UnaryOperator,
      case .reciprocalSquareRoot(let own) = unary.function, unary.scale == 1
    else { return nil }
    var epsilon: Float = own + unary.shift
    var variance = node.inputs[0]
    while let inner = self.node(value: variance), let addition = inner.operation as? AddOperator,
      addition.inputCount == 1
    {
      epsilon += addition.alpha
      variance = inner.inputs[0]
    }
    return (epsilon, variance)
  }

  /// Matches `a − b`, also in the form `a + (−b)`. Returns a and b; nil if other operators compute the value.
  private func difference(_ value: Graph.ValueID) -> (Graph.ValueID, Graph.ValueID)? {
    if let node = node(value: value),
      (node.operation as? BinaryFunctionOperator)?.function == .subtract,
      node.inputs.count == 2
    {
      return (node.inputs[0], node.inputs[1])
    }
    for (minuend, other) in orders(of: sum(value)) {
      if let node = node(value: other), let scaled = multiplied(node), scaled.factor == -1 {
        return (minuend, scaled.value)
      }
    }
    return nil
  }

  /// Returns x if `value` is x². Nil if `value` is not a square.
  private func squared(_ value: Graph.ValueID) -> Graph.ValueID? {
    node(value: value)?.squaredValue
  }

  private func product(_ value: Graph.ValueID) -> (Graph.ValueID, Graph.ValueID)? {
    guard let node = node(value: value), node.inputs.count == 2, node.operation is MultiplyOperator
    else { return nil }
    return (node.inputs[0], node.inputs[1])
  }

  private func sum(_ value: Graph.ValueID) -> (Graph.ValueID, Graph.ValueID)? {
    guard let node = node(value: value), node.inputs.count == 2, node.operation is AddOperator
    else { return nil }
    return (node.inputs[0], node.inputs[1])
  }

  /// Returns the number by which a node multiplies its only input, and this input. Nil for other nodes.
  private func multiplied(_ node: Graph.Node) -> (factor: Float, value: Graph.ValueID)? {
    guard node.inputs.count == 1 else { return nil }
    if let product = node.operation as? MultiplyOperator { return (product.alpha, node.inputs[0]) }
    if let activation = node.operation as? ActivationOperator,
      case .linear(let alpha, let beta) = activation.function, beta == 0
    {
      return (alpha, node.inputs[0])
    }
    return nil
  }

  /// Returns a pair of operands in both orders. Returns an empty list if `pair` is nil.
  private func orders(of pair: (Graph.ValueID, Graph.ValueID)?)
    -> [(Graph.ValueID, Graph.ValueID)]
  {
    guard let pair else { return [] }
    return [pair, (pair.1, pair.0)]
  }

  private func node(value: Graph.ValueID) -> Graph.Node? {
    writers[value.index].map { graph.nodes[$0] }
  }
}
