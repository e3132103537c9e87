import Graph
import Operators
import Passes

/// A graph, and which nodes write and read its values. Passes look for patterns in it.
struct ConnectedGraph {
  let graph: Graph
  let writers: [Int?]
  private let readers: [[Int]]
  private let outputs: Set<Graph.ValueID>

  init(_ graph: Graph) {
    self.graph = graph
    writers = graph.writers()
    readers = graph.readers()
    outputs = Set(graph.outputs)
  }

  /// Returns the node that computes a value. Nil for inputs and constants.
  func writer(of value: Graph.ValueID) -> Graph.Node? {
    writers[value.index].map { graph.nodes[$0] }
  }

  /// Returns the position of the only node that reads a value. Nil if there are several, or if the value is an output of
  /// the graph.
  func onlyReader(of value: Graph.ValueID) -> Int? {
    guard readers[value.index].count == 1, !outputs.contains(value) else { return nil }
    return readers[value.index][0]
  }

  func shape(_ value: Graph.ValueID) -> Shape? { graph[value].type?.shape }

  func isFloat32(_ value: Graph.ValueID) -> Bool { graph[value].type?.element == .float32 }

  /// Returns the number that a value holds. Nil if the value is not constant, or holds several.
  func number(_ value: Graph.ValueID) -> Float? {
    guard let constant = graph[value].constant, constant.count == 1,
      let found = try? constant.tensor().reals.first
    else { return nil }
    return Float(found)
  }

  /// Returns the two inputs of a node that computes a function of two values. Nil for other nodes.
  func operands(_ node: Graph.Node, _ function: BinaryFunction) -> (Graph.ValueID, Graph.ValueID)? {
    let found: BinaryFunction?
    switch node.operation {
    case let operation as BinaryFunctionOperator: found = operation.function
    case is AddOperator: found = .add
    case is MultiplyOperator: found = .multiply
    default: found = nil
    }
    return found == function && node.inputs.count == 2 ? (node.inputs[0], node.inputs[1]) : nil
  }

  /// Returns the function of a node that combines a value with a number, the number and the value. The number is the
  /// right operand, or any operand of a sum or product. Nil for other nodes.
  func functionWithNumber(_ node: Graph.Node) -> (BinaryFunction, Float, Graph.ValueID)? {
    let function: BinaryFunction
    let own: Float?
    switch node.operation {
    case let operation as BinaryFunctionOperator:
      (function, own) = (operation.function, operation.number)
    case let sum as AddOperator: (function, own) = (.add, sum.inputCount == 1 ? sum.alpha : nil)
    case let product as MultiplyOperator:
      (function, own) = (.multiply, product.inputCount == 1 ? product.alpha : nil)
    default: return nil
    }
    if let own { return (function, own, node.inputs[0]) }
    guard node.inputs.count == 2 else { return nil }
    if let right = number(node.inputs[1]) { return (function, right, node.inputs[0]) }
    guard function == .add || function == .multiply else { return nil }
    return number(node.inputs[0]).map { (function, $0, node.inputs[1]) }
  }
}

/// Several nodes that one operator can replace: the operator, its inputs, and the position of the last of the nodes.
struct PatternMatch<Operation: Operator> {
  var operation: Operation
  var inputs: [Graph.ValueID]
  var position: Int
}

extension Graph {
  /// Replaces the last node of each match by its operator. Then removes the other nodes of the matches, unless something
  /// else reads their results.
  ///
  /// - Parameter match: Returns the match that it finds at the position of a node.
  mutating func replace<Operation: Operator>(_ match: (Int) -> PatternMatch<Operation>?) throws {
    var count = 0
    for position in nodes.indices {
      guard let found = match(position) else { continue }
      let node: Graph.Node = nodes[found.position]
      nodes[found.position] = Graph.Node(
        name: node.name, operation: found.operation, inputs: found.inputs, outputs: node.outputs,
        origin: node.origin)
      count += 1
    }
    if count > 0 { try RemoveDeadCode.run(on: &self) }
  }
}

extension Graph.Node {
  /// Whether the node rounds to float16.
  var roundsToFloat16: Bool { (operation as? RoundOperator)?.element == .float16 }
}
