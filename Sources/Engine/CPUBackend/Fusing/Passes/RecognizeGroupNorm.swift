import Graph
import Operators
import Passes

/// Recognises group norms that converters write with several operators, and replaces each by one operator.
///
///     r = reshape(x) to [N, groups, …]            x ─ group norm(γ, β)
///     d = r − mean(r)
///     y = reshape(d / √(mean(d²) + ε)) to [N, C, H, W]
///     y · γ + β
///
/// The quotient may also be a product with a reciprocal root, or an instance norm without γ and β.
///
/// The single operator works on channels-last images, as the convolutions around it do, and reads them three times
/// instead of writing five intermediate results. In a float16 program, there is a rounding after each operation. The
/// operator rounds in the same places, so the pass replaces operators only if all of them are rounded, or none.
public enum RecognizeGroupNorm: GraphPass {
  public static let name = "RecognizeGroupNorm"

  public static func run(on graph: inout Graph) throws {
    let matcher = GroupNormMatcher(connected: ConnectedGraph(graph))
    try graph.replace(matcher.norm)
  }
}

/// Matches group norms. Begins at the last reshape, goes back to the input, and then on to γ and β.
private struct GroupNormMatcher {
  typealias Match = PatternMatch<GroupNorm>

  /// An intermediate result, and whether it is rounded to float16.
  private struct Step {
    var node: Graph.Node
    var isRounded: Bool
  }

  let connected: ConnectedGraph
  private var graph: Graph { connected.graph }

  /// The norm of a value whose second axis are the groups.
  private struct Core {
    var grouped: Graph.ValueID
    var epsilon: Float
    var rounds: Bool
  }

  /// Returns the group norm whose last reshape is the node at a position. Nil for other nodes.
  func norm(at position: Int) -> Match? {
    let node: Graph.Node = graph.nodes[position]
    guard isReshape(node), let shape = connected.shape(node.outputs[0]), shape.rank == 4,
      let core = core(beforeReshapes(node.inputs[0])), core.epsilon > 0,
      let input = images(core.grouped, of: shape), let groups = groups(core.grouped, of: shape),
      connected.isFloat32(node.outputs[0]), connected.isFloat32(input)
    else { return nil }
    var match = Match(
      operation: GroupNorm(groups: groups, epsilon: core.epsilon, rounds: core.rounds),
      inputs: [input], position: position)
    if let (place, gamma) = parameter(.multiply, after: match.position, shape, core.rounds) {
      (match.operation.hasGamma, match.position) = (true, place)
      match.inputs.append(gamma)
    }
    if let (place, beta) = parameter(.add, after: match.position, shape, core.rounds) {
      (match.operation.hasBeta, match.position) = (true, place)
      match.inputs.append(beta)
    }
    return match
  }

  // MARK: The norm of a value with a group axis

  private func core(_ value: Graph.ValueID) -> Core? {
    instanceNorm(value) ?? quotient(value) ?? productWithRoot(value)
  }

  /// Matches an instance norm without γ and β.
  private func instanceNorm(_ value: Graph.ValueID) -> Core? {
    guard let node = connected.writer(of: value),
      let layer = node.operation as? BatchNormOperator, layer.isInstanceNormalization,
      connected.shape(node.inputs[0])?.rank == 4, isRepeated(node.inputs[1], 1),
      isRepeated(node.inputs[2], 0)
    else { return nil }
    return Core(grouped: node.inputs[0], epsilon: layer.epsilon, rounds: false)
  }

  /// Matches `d / √(mean(d²) + ε)`.
  private func quotient(_ value: Graph.ValueID) -> Core? {
    guard let quotient = step(value),
      let (distance, deviation) = connected.operands(quotient.node, .divide),
      let root = step(deviation),
      isSquareRoot(root.node.operation),
      let (sum, epsilon, variance) = sumWithNumber(root.node.inputs[0]),
      let (grouped, steps) = moments(distance, variance),
      ([root, sum] + steps).allSatisfy({ $0.isRounded == quotient.isRounded })
    else { return nil }
    return Core(grouped: grouped, epsilon: epsilon, rounds: quotient.isRounded)
  }

  /// Matches `d · (1 / √(mean(d²) + ε))`, without roundings.
  private func productWithRoot(_ value: Graph.ValueID) -> Core? {
    guard let product = step(value), let (left, right) = connected.operands(product.node, .multiply)
    else {
      return nil
    }
    for (distance, factor) in [(left, right), (right, left)] {
      guard let root = step(factor), let layer = root.node.operation as? UnaryOperator,
        case .reciprocalSquareRoot(let epsilon) = layer.function, layer.scale == 1,
        let (grouped, steps) = moments(distance, root.node.inputs[0]),
        ([product, root] + steps).allSatisfy({ !$0.isRounded })
      else { continue }
      return Core(grouped: grouped, epsilon: epsilon + layer.shift, rounds: false)
    }
    return nil
  }

  /// Matches `d = r − mean(r)` and the variance `mean(d²)`. Returns r and the operators.
  private func moments(_ distance: Graph.ValueID, _ variance: Graph.ValueID)
    -> (grouped: Graph.ValueID, steps: [Step])?
  {
    guard let variance = mean(variance), let square = step(variance.node.inputs[0]),
      square.node.squaredValue == distance, let difference = step(distance),
      let (grouped, centre) = connected.operands(difference.node, .subtract),
      let mean = mean(centre),
      mean.node.inputs[0] == grouped
    else { return nil }
    return (grouped, [variance, square, difference, mean])
  }

  // MARK: Shapes

  /// Whether a node gives the elements of its first input another shape.
  private func isReshape(_ node: Graph.Node) -> Bool {
    switch node.operation {
    case is ReshapeStaticOperator, is ReshapeLikeOperator, is ExpandDimsOperator,
      is SqueezeOperator:
      true
    default: false
    }
  }

  /// Returns the value that some reshapes make a value of.
  private func beforeReshapes(_ value: Graph.ValueID) -> Graph.ValueID {
    var value: Graph.ValueID = value
    while let node = connected.writer(of: value), isReshape(node) {
      value = node.inputs[0]
    }
    return value
  }

  /// Returns the images of a shape that reshapes make a value of.
  private func images(_ value: Graph.ValueID, of images: Shape) -> Graph.ValueID? {
    var value: Graph.ValueID = value
    while let node = connected.writer(of: value), isReshape(node) {
      value = node.inputs[0]
      if connected.shape(value) == images { return value }
    }
    return nil
  }

  /// Returns the number of groups if a value has the shape `[N, groups, …]` for images of a shape.
  private func groups(_ value: Graph.ValueID, of images: Shape) -> Int? {
    guard let shape = connected.shape(value), shape.rank >= 3, shape[0] == images[0],
      shape.count > 0,
      images[1] % shape[1] == 0
    else { return nil }
    return shape[1]
  }

  /// Matches the mean over all axes but the first two.
  private func mean(_ value: Graph.ValueID) -> Step? {
    guard let found = step(value), let layer = found.node.operation as? ReduceAxesOperator,
      layer.mode == .mean, layer.keepsAxes, let shape = connected.shape(found.node.inputs[0]),
      shape.rank >= 3, let axes = try? shape.resolvedAxes(layer.axes),
      axes.sorted() == Array(2..<shape.rank)
    else { return nil }
    return found
  }

  /// Matches a sum with a number. Returns the sum, the number and the other operand.
  private func sumWithNumber(_ value: Graph.ValueID) -> (Step, Float, Graph.ValueID)? {
    guard let found = step(value) else { return nil }
    guard case (.add, let number, let other)? = connected.functionWithNumber(found.node) else {
      return nil
    }
    return (found, number, other)
  }

  /// Returns the position of a product with γ or a sum with β, or of the rounding after it, and the parameter. Nil if
  /// something else reads the result of the node at a position.
  private func parameter(
    _ function: BinaryFunction, after position: Int, _ images: Shape, _ rounds: Bool
  ) -> (position: Int, value: Graph.ValueID)? {
    let value: Graph.ValueID = graph.nodes[position].outputs[0]
    guard let reader = connected.onlyReader(of: value),
      let (left, right) = connected.operands(graph.nodes[reader], function),
      connected.shape(graph.nodes[reader].outputs[0]) == images
    else { return nil }
    let other: Graph.ValueID = left == value ? right : left
    guard other != value, graph[other].constant != nil, let shape = connected.shape(other),
      shape.count == images[1], shape.rank >= 3, shape[-3] == images[1],
      connected.isFloat32(other)
    else { return nil }
    guard rounds else { return (reader, other) }
    guard let rounding = connected.onlyReader(of: graph.nodes[reader].outputs[0]),
      graph.nodes[rounding].roundsToFloat16
    else { return nil }
    return (rounding, other)
  }

  // MARK: Steps

  /// Returns the operator that computes a value, before a rounding if there is one.
  private func step(_ value: Graph.ValueID) -> Step? {
    let source: Graph.ValueID = unrounded(value)
    return connected.writer(of: source).map { Step(node: $0, isRounded: source != value) }
  }

  /// Returns the value that is rounded to float16, or the value itself if it is not rounded.
  private func unrounded(_ value: Graph.ValueID) -> Graph.ValueID {
    guard let node = connected.writer(of: value), node.roundsToFloat16 else { return value }
    return node.inputs[0]
  }

  private func isRepeated(_ value: Graph.ValueID, _ number: Float) -> Bool {
    (try? graph[value].constant?.floats().allSatisfy { $0 == number }) ?? false
  }

  private func isSquareRoot(_ operation: any Operator) -> Bool {
    if let layer = operation as? UnaryFunctionOperator { return layer.function == .squareRoot }
    return operation as? UnaryOperator == UnaryOperator(.squareRoot)
  }
}
