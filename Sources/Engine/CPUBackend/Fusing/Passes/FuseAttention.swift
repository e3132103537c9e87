import Graph
import Operators
import Passes

/// Recognises attention in the operators that readers make of it, and replaces them by one operator.
///
///     query ─ (scale) ─┐
///                    product ─ (scale) ─ (mask) ─ softmax ─┐
///     key ─────────────┘                                 product          attention(query, key, value, mask)
///     value ───────────────────────────────────────────────┘
///
/// The single operator never stores the matrix of scores. What only moves elements of query, key and value, such as a
/// slice of a cache or the repetition of its heads, becomes a view through which the operator reads. A transposition
/// that exchanges rows and heads afterwards becomes the order in which it writes. In a float16 program, there is a
/// rounding after each operation. The operator rounds in the same places, so the pass replaces operators only if all of
/// them are rounded, or none.
public enum FuseAttention: GraphPass {
  public static let name = "FuseAttention"

  public static func run(on graph: inout Graph) throws {
    let matcher = AttentionMatcher(connected: ConnectedGraph(graph))
    try graph.replace(matcher.attention)
  }
}

/// Matches attention. Begins at the second product and ends at query, key and value.
private struct AttentionMatcher {
  typealias Match = PatternMatch<FusedAttention>

  /// The scores before the softmax.
  private struct Scores {
    /// The inputs of the first product, and whether the key is transposed before the product.
    var query: Graph.ValueID, key: Graph.ValueID
    var isKeyTransposed: Bool
    var scale: Float = 1
    var mask: Graph.ValueID?
    var kind = FusedAttention.Mask.none
    /// Whether each result is rounded to float16.
    var roundings: [Bool]
  }

  let connected: ConnectedGraph
  private var graph: Graph { connected.graph }

  /// Returns the attention whose second product is the node at a position. Nil if the node is no such product.
  func attention(at position: Int) -> Match? {
    let node: Graph.Node = graph.nodes[position]
    guard let product = node.operation as? BatchedMatMulOperator, !product.multipliesRows,
      !product.transposesLeft, !product.transposesRight, node.inputs.count == 2,
      let (softmax, isRounded) = step(node.inputs[0]),
      let layer = softmax.operation as? SoftmaxNDOperator,
      let shape = graph[softmax.inputs[0]].type?.shape, shape.rank >= 3,
      shape.resolvedAxis(layer.axis) == shape.rank - 1,
      let scores = maskedScores(softmax.inputs[0], shape),
      scores.roundings.allSatisfy({ $0 == isRounded })
    else { return nil }
    guard var query = view(of: scores.query), var key = view(of: scores.key),
      let value = view(of: node.inputs[1]),
      [query, key, value].allSatisfy({ $0.view.axes.count == shape.rank })
    else { return nil }
    if !scores.isKeyTransposed {
      key.view.axes.swapAt(key.view.axes.count - 2, key.view.axes.count - 1)
    }
    var (scale, scalesQuery) = (scores.scale, false)
    if scale == 1, let (factor, scaled) = scaledQuery(query.source, isRounded),
      let whole = view(of: scaled), let moved = whole.view.moved(along: query.moves, in: graph)
    {
      (scale, scalesQuery) = (factor, true)
      (query.source, query.view) = (whole.source, moved)
    }
    let heads: Int = shape.rank - 3
    var operation = FusedAttention(query: query.view, key: key.view, value: value.view)
    let (fewerKeys, fewerValues) = (
      key.view.withoutRepetitions(along: heads), value.view.withoutRepetitions(along: heads)
    )
    if fewerKeys.shape[heads] == fewerValues.shape[heads] {
      (operation.key, operation.value) = (fewerKeys, fewerValues)
    }
    (operation.rounds, operation.scale, operation.scalesQuery) = (isRounded, scale, scalesQuery)
    operation.mask = scores.kind
    var match = Match(
      operation: operation,
      inputs: [query.source, key.source, value.source] + (scores.mask.map { [$0] } ?? []),
      position: position)
    follow(&match)
    guard match.inputs.allSatisfy({ (graph[$0].type?.element ?? .float32) == .float32 }) else {
      return nil
    }
    let shapes: [Shape] = match.inputs.compactMap { graph[$0].type?.shape }
    guard shapes.count == match.inputs.count,
      let types = try? match.operation.outputTypes(
        for: shapes.map { OperatorInput(TensorType($0)) }),
      types[0].shape == graph[graph.nodes[match.position].outputs[0]].type?.shape,
      (try? match.operation.description(shapes)) != nil
    else { return nil }
    return match
  }

  /// Adds to a match what follows the second product: a rounding, and an exchange of rows and heads.
  private func follow(_ match: inout Match) {
    if let next = onlyReader(of: match.position), graph.nodes[next].roundsToFloat16 {
      match.operation.roundsResult = true
      match.position = next
    }
    if let next = onlyReader(of: match.position), exchangesHeads(graph.nodes[next]) {
      match.operation.result = .rowsFirst
      match.position = next
    }
  }

  // MARK: Scores

  /// Matches scores to which a mask may have been added.
  private func maskedScores(_ value: Graph.ValueID, _ shape: Shape) -> Scores? {
    if let scores = scores(value) { return scores }
    guard let (node, isRounded) = step(value) else { return nil }
    if node.operation is WhereBroadcastableOperator, graph[node.inputs[1]].type?.shape == shape,
      let fill = connected.number(node.inputs[2]),
      !isRounded || ElementType.float16.rounded(Double(fill)) == Double(fill),
      var scores = scores(node.inputs[1])
    {
      (scores.mask, scores.kind) = (node.inputs[0], .hidden(fill))
      // A rounding of rounded scores changes nothing.
      if isRounded { scores.roundings.append(true) }
      return scores
    }
    guard let (left, right) = connected.operands(node, .add) else { return nil }
    for (operand, mask) in [(left, right), (right, left)] {
      guard graph[operand].type?.shape == shape, var scores = scores(operand) else { continue }
      (scores.mask, scores.kind) = (mask, .added)
      scores.roundings.append(isRounded)
      return scores
    }
    return nil
  }

  /// Matches a product of query and key, which may be scaled.
  private func scores(_ value: Graph.ValueID) -> Scores? {
    guard let (node, isRounded) = step(value) else { return nil }
    if let product = node.operation as? BatchedMatMulOperator, !product.multipliesRows,
      !product.transposesLeft, node.inputs.count == 2
    {
      return Scores(
        query: node.inputs[0], key: node.inputs[1], isKeyTransposed: product.transposesRight,
        roundings: [isRounded])
    }
    guard let (factor, product) = scaled(node, isRounded), var scores = scores(product),
      scores.scale == 1
    else { return nil }
    scores.scale = factor
    scores.roundings.append(isRounded)
    return scores
  }

  /// Matches a query that is multiplied by a number. Returns the number and what it multiplies.
  private func scaledQuery(_ value: Graph.ValueID, _ isRounded: Bool) -> (Float, Graph.ValueID)? {
    guard var node = connected.writer(of: value) else { return nil }
    if isRounded {
      guard node.roundsToFloat16, let before = connected.writer(of: node.inputs[0]) else {
        return nil
      }
      node = before
    }
    return scaled(node, isRounded)
  }

  /// Returns the number by which a node multiplies a value, and the value. Nil for other nodes. If results are rounded,
  /// a quotient is a product only if the reciprocal is exact.
  private func scaled(_ node: Graph.Node, _ isRounded: Bool) -> (Float, Graph.ValueID)? {
    func reciprocal(_ number: Float) -> Float? {
      guard number.isNormal, !isRounded || number.significand == 1 else { return nil }
      return 1 / number
    }
    if let (function, number, value) = connected.functionWithNumber(node) {
      switch function {
      case .multiply: return (number, value)
      case .divide: return reciprocal(number).map { ($0, value) }
      default: return nil
      }
    }
    if let activation = node.operation as? ActivationOperator,
      case .linear(let alpha, beta: 0) = activation.function
    {
      return (alpha, node.inputs[0])
    }
    return nil
  }

  // MARK: Axes

  private func view(of value: Graph.ValueID) -> Graph.MovedView? {
    graph.view(of: value, connected.writers)
  }

  private func exchangesHeads(_ node: Graph.Node) -> Bool { lastAxes(node) == [1, 0, 2] }

  /// Returns how a node permutes the last three axes. Nil if the node does something else.
  private func lastAxes(_ node: Graph.Node) -> [Int]? {
    guard let transpose = node.operation as? TransposeOperator,
      let shape = graph[node.inputs[0]].type?.shape, let axes = transpose.axes(of: shape),
      axes.count >= 3, Array(axes.dropLast(3)) == Array(0..<axes.count - 3)
    else { return nil }
    return axes.suffix(3).map { $0 - (axes.count - 3) }
  }

  // MARK: Nodes

  /// Returns the node that computes a value which has one reader, and whether a rounding to float16 follows the node. Nil
  /// if something else also reads the value.
  private func step(_ value: Graph.ValueID) -> (node: Graph.Node, isRounded: Bool)? {
    func sole(_ value: Graph.ValueID) -> Graph.Node? {
      connected.onlyReader(of: value) == nil ? nil : connected.writer(of: value)
    }
    guard let node = sole(value) else { return nil }
    guard node.roundsToFloat16 else { return (node, false) }
    return sole(node.inputs[0]).map { ($0, true) }
  }

  /// Returns the position of the only node that reads a node's output.
  private func onlyReader(of position: Int) -> Int? {
    connected.onlyReader(of: graph.nodes[position].outputs[0])
  }
}
