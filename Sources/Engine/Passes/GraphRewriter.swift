import Graph
import Operators

/// A graph that is being rewritten: who writes and reads each value is kept up to date, and nodes go
/// without moving those after them, so that a pass over a graph costs what it changes.
package struct GraphRewriter {
  /// The graph; nodes that have gone are still in it until the rewriting ends.
  package private(set) var graph: Graph
  /// The node that writes each value, by value index; nil for inputs and for what nobody writes.
  package private(set) var writers: [Int?]
  /// The nodes that read each value, by value index; once per input, so that a square's operand has its
  /// reader twice.
  package private(set) var readers: [[Int]]
  private var isGone: [Bool]
  /// The number of nodes that have gone.
  fileprivate var goneCount = 0
  private var isOutput: [Bool]

  /// A rewriting that begins.
  package init(_ graph: Graph) {
    self.graph = graph
    writers = graph.writers()
    readers = graph.readers()
    isGone = [Bool](repeating: false, count: graph.nodes.count)
    var isOutput = [Bool](repeating: false, count: graph.values.count)
    for output in graph.outputs { isOutput[output.index] = true }
    self.isOutput = isOutput
  }

  /// A node that has not gone.
  package subscript(position: Int) -> Graph.Node { graph.nodes[position] }

  /// A value.
  package subscript(value: Graph.ValueID) -> Graph.Value { graph[value] }

  /// One an input of the node: its values where they are constant, else nil.
  package func constants(of node: Graph.Node) -> [Constant?] {
    node.inputs.map { graph[$0].constant }
  }

  /// Adds a value that a node will write.
  package mutating func addValue(_ name: String, type: TensorType) -> Graph.ValueID {
    writers.append(nil)
    readers.append([])
    isOutput.append(false)
    return graph.addValue(name, type: type)
  }

  /// Adds a value that does not change.
  package mutating func addConstant(_ constant: Constant, name: String) -> Graph.ValueID {
    writers.append(nil)
    readers.append([])
    isOutput.append(false)
    return graph.addConstant(constant, name: name)
  }

  /// Whether the caller gets this value.
  package func isOutput(_ value: Graph.ValueID) -> Bool { isOutput[value.index] }

  /// The node that makes a value, when this reader is the only one and the caller does not get it.
  package func soleProducer(of value: Graph.ValueID) -> Int? {
    guard readers[value.index].count == 1, !isOutput(value) else { return nil }
    return writers[value.index]
  }

  /// Puts another node in a node's place.
  package mutating func replace(_ position: Int, with node: Graph.Node) {
    disconnect(position)
    graph.nodes[position] = node
    for input in node.inputs { readers[input.index].append(position) }
    for output in node.outputs { writers[output.index] = position }
  }

  /// Gives a node another layer with the same connections.
  package mutating func setLayer(_ layer: any Operator, at position: Int) {
    graph.nodes[position].operation = layer
  }

  /// Drops a node.
  package mutating func remove(_ position: Int) {
    disconnect(position)
    isGone[position] = true
    goneCount += 1
  }

  /// Lets a node write what its only reader wrote, and drops that reader.
  package mutating func absorb(reader: Int, into producer: Int) {
    let outputs = graph.nodes[reader].outputs
    remove(reader)
    var node = graph.nodes[producer]
    node.outputs = outputs
    replace(producer, with: node)
  }

  private mutating func disconnect(_ position: Int) {
    let node = graph.nodes[position]
    for input in node.inputs { readers[input.index].removeAll { $0 == position } }
    for output in node.outputs where writers[output.index] == position {
      writers[output.index] = nil
    }
  }

  /// Whether a node is still there.
  fileprivate func isThere(_ position: Int) -> Bool { !isGone[position] }

  /// The graph without the nodes that have gone.
  fileprivate consuming func finished() -> Graph {
    graph.nodes = graph.nodes.indices.filter { !isGone[$0] }.map { graph.nodes[$0] }
    return graph
  }
}

extension Graph {
  /// Repeats a rewriting of single nodes until none applies. The closure gets a node's position and says
  /// whether it changed the graph.
  package mutating func rewrite(_ change: (inout GraphRewriter, Int) throws -> Bool) rethrows {
    var rewriter = GraphRewriter(self)
    // One graph at a time owns the memory, so that nothing is copied.
    self = Graph()
    defer { self = rewriter.finished() }
    var position = 0
    let count = rewriter.graph.nodes.count
    while position < count {
      guard rewriter.isThere(position) else {
        position += 1
        continue
      }
      let before = rewriter.goneCount
      guard try change(&rewriter, position) else {
        position += 1
        continue
      }
      // What a node became may suit again; so may the node before it when this one has gone.
      let staysHere = rewriter.isThere(position) && rewriter.goneCount > before
      guard !staysHere else { continue }
      var previous = position - 1
      while previous > 0, !rewriter.isThere(previous) { previous -= 1 }
      position = max(0, previous)
    }
  }
}
