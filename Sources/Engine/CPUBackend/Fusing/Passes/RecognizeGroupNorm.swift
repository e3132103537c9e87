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
    // Only the operators of the norm read its intermediate results. After the replacement these operators are dead code.
    let matcher = GroupNormMatcher(graph)
    var count = 0
    for position in matcher.graph.nodes.indices {
      guard let found = matcher.norm(at: position) else { continue }
      let node: Graph.Node = graph.nodes[found.position]
      graph.nodes[found.position] = Graph.Node(
        name: node.name, operation: found.operation, inputs: found.inputs, outputs: node.outputs,
        origin: node.origin)
      count += 1
    }
    if count > 0 { try RemoveDeadCode.run(on: &graph) }
  }
}

/// Matches group norms. Begins at the last reshape, goes back to the input, and then on to γ and β.
private struct GroupNormMatcher {
  /// A group norm that was recognised: the operator, its inputs, and the position of the last operator that it replaces.
  struct Match {
    var operation: GroupNorm
    var inputs: [Graph.ValueID]
    var position: Int
  }

  /// An intermediate result, and whether it is rounded to float16.
  private struct Step {
    var node: Graph.Node
    var isRounded: Bool
  }

  let graph: Graph
  private let writers: [Int?]
  private let readers: [[Int]]
  private let outputs: Set<Graph.ValueID>

  init(_ graph: Graph) {
    self.graph = graph
    writers = graph.writers()
    readers = graph.readers()
    outputs = Set(graph.outputs)
  }

  /// The norm of a value whose second axis are the groups.
  private struct Core {
    var grouped: Graph.ValueID
    var epsilon: Float
    var rounds: Bool
  }

  /// Returns the group norm whose last reshape is the node at a position. Nil for other nodes.
  func norm(at position: Int) -> Match? {
    let node: Graph.Node = graph.nodes[position]
    guard isReshape(node), let shape = shape(node.outputs[0]), shape.rank == 4,
      let core = core(beforeReshapes(node.inputs[0])), core.epsilon > 0,
      let input = images(core.grouped, of: shape), let groups = groups(core.grouped, of: shape),
      isFloat32(node.outputs[0]), isFloat32(input)
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
    guard let position = writers[value.index] else { return nil }
    let node: Graph.Node = graph.nodes[position]
    guard let layer = node.operation as? BatchNormOperator, layer.isInstanceNormalization,
      isRepeated(node.inputs[1], 1), isRepeated(node.inputs[2], 0)
    else { return nil }
    return Core(grouped: node.inputs[0], epsilon: layer.epsilon, rounds: false)
  }

  /// Matches `d / √(mean(d²) + ε)`.
  private func quotient(_ value: Graph.ValueID) -> Core? {
    guard let quotient = step(value),
      let (distance, deviation) = operands(quotient.node, .divide), let root = step(deviation),
      isSquareRoot(root.node.operation),
      let (sum, epsilon, variance) = sumWithNumber(root.node.inputs[0]),
      let (grouped, steps) = moments(distance, variance),
      ([root, sum] + steps).allSatisfy({ $0.isRounded == quotient.isRounded })
    else { return nil }
    return Core(grouped: grouped, epsilon: epsilon, rounds: quotient.isRounded)
  }

  /// Matches `d · (1 / √(mean(d²) + ε))`, without roundings.
  private func productWithRoot(_ value: Graph.ValueID) -> Core? {
    guard let product = step(value), let (left, right) = operands(product.node, .multiply) else {
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
      let (grouped, centre) = operands(difference.node, .subtract), let mean = mean(centre),
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
    while let position = writers[value.index], isReshape(graph.nodes[position]) {
      value = graph.nodes[position].inputs[0]
    }
    return value
  }

  /// Returns the images of a shape that reshapes make a value of.
  private func images(_ value: Graph.ValueID, of images: Shape) -> Graph.ValueID? {
    var value: Graph.ValueID = value
    while let position = writers[value.index], isReshape(graph.nodes[position]) {
      value = graph.nodes[position].inputs[0]
      if shape(value) == images { return value }
    }
    return nil
  }

  /// Returns the number of groups if a value has the shape `[N, groups, …]` for images of a shape.
  private func groups(_ value: Graph.ValueID, of images: Shape) -> Int? {
    guard let shape = shape(value), shape.rank >= 3, shape[0] == images[0], shape.count > 0,
      images[1] % shape[1] == 0
    else { return nil }
    return shape[1]
  }

  /// Matches the mean over all axes but the first two.
  private func mean(_ value: Graph.ValueID) -> Step? {
    guard let found = step(value), let layer = found.node.operation as? ReduceAxesOperator,
      layer.mode == .mean, layer.keepsAxes, let shape = shape(found.node.inputs[0]),
      shape.rank >= 3, let axes = try? shape.resolvedAxes(layer.axes),
      axes.sorted() == Array(2..<shape.rank)
    else { return nil }
    return found
  }

  /// Matches a sum with a number. Returns the sum, the number and the other operand.
  private func sumWithNumber(_ value: Graph.ValueID) -> (Step, Float, Graph.ValueID)? {
    guard let found = step(value) else { return nil }
    let node: Graph.Node = found.node
    if let sum = node.operation as? AddOperator, sum.inputCount == 1 {
      return (found, sum.alpha, node.inputs[0])
    }
    if let sum = node.operation as? BinaryFunctionOperator, sum.function == .add,
      let number = sum.number
    {
      return (found, number, node.inputs[0])
    }
    guard let (left, right) = operands(node, .add) else { return nil }
    for (value, other) in [(left, right), (right, left)] {
      if let constant = graph[other].constant, constant.shape.count == 1,
        let number = try? constant.floats().first
      {
        return (found, number, value)
      }
    }
    return nil
  }

  /// Returns the position of a product with γ or a sum with β, or of the rounding after it, and the parameter. Nil if
  /// something else reads the result of the node at a position.
  private func parameter(
    _ function: BinaryFunction, after position: Int, _ images: Shape, _ rounds: Bool
  ) -> (position: Int, value: Graph.ValueID)? {
    let value: Graph.ValueID = graph.nodes[position].outputs[0]
    guard let reader = soleReader(of: value),
      let (left, right) = operands(graph.nodes[reader], function),
      shape(graph.nodes[reader].outputs[0]) == images
    else { return nil }
    let other: Graph.ValueID = left == value ? right : left
    guard other != value, graph[other].constant != nil, let shape = shape(other),
      shape.count == images[1], shape.rank >= 3, shape[-3] == images[1],
      graph[other].type?.element == .float32
    else { return nil }
    guard rounds else { return (reader, other) }
    guard let rounding = soleReader(of: graph.nodes[reader].outputs[0]),
      (graph.nodes[rounding].operation as? RoundOperator)?.element == .float16
    else { return nil }
    return (rounding, other)
  }

  // MARK: Steps

  /// Returns the operator that computes a value, before a rounding if there is one.
  private func step(_ value: Graph.ValueID) -> Step? {
    let source: Graph.ValueID = unrounded(value)
    guard let position = writers[source.index] else { return nil }
    return Step(node: graph.nodes[position], isRounded: source != value)
  }

  /// Returns the value that is rounded to float16, or the value itself if it is not rounded.
  private func unrounded(_ value: Graph.ValueID) -> Graph.ValueID {
    guard let position = writers[value.index],
      (graph.nodes[position].operation as? RoundOperator)?.element == .float16
    else { return value }
    return graph.nodes[position].inputs[0]
  }

  /// Returns the two operands of a function.
  private func operands(_ node: Graph.Node, _ function: BinaryFunction)
    -> (Graph.ValueID, Graph.ValueID)?
  {
    let found: BinaryFunction?
    switch node.operation {
    case let operation as BinaryFunctionOperator: found = operation.function
    case is AddOperator: found = .add
    case is MultiplyOperator: found = .multiply
    default: found = nil
    }
    return found == function && node.inputs.count == 2 ? (node.inputs[0], node.inputs[1]) : nil
  }

  private func isRepeated(_ value: Graph.ValueID, _ number: Float) -> Bool {
    (try? graph[value].constant?.floats().allSatisfy { $0 == number }) ?? false
  }

  private func isSquareRoot(_ operation: any Operator) -> Bool {
    if let layer = operation as? UnaryFunctionOperator { return layer.function == .squareRoot }
    return operation as? UnaryOperator == UnaryOperator(.squareRoot)
  }

  private func soleReader(of value: Graph.ValueID) -> Int? {
    guard !outputs.contains(value), readers[value.index].count == 1 else { return nil }
    return readers[value.index][0]
  }

  private func shape(_ value: Graph.ValueID) -> Shape? { graph[value].type?.shape }

  private func isFloat32(_ value: Graph.ValueID) -> Bool {
    graph[value].type?.element == .float32
  }
}
