import Graph
import Operators

/// A graph that a pass rewrites. The rewriter keeps track of the writer and the readers of each value, and it removes a
/// node without moving the nodes after it. Each change is therefore fast, even in a large graph.
package struct GraphRewriter {
  /// The graph. Removed nodes stay in its list of nodes until the rewriting ends.
  package private(set) var graph: Graph
  /// For each value, in the order of their indices, the position of the node that writes it. Nil for graph inputs,
  /// constants and other values that no node writes.
  package private(set) var writers: [Int?]
  /// For each value, in the order of their indices, the positions of the nodes that read it. A node is listed once for
  /// each of its inputs, so a node that multiplies a value by itself is listed twice.
  package private(set) var readers: [[Int]]
  /// For each node, in the order of their positions, whether it is removed.
  private var isRemoved: [Bool]
  /// The number of removed nodes.
  fileprivate var removedCount = 0
  /// For each value, in the order of their indices, whether it is an output of the graph.
  private var isOutput: [Bool]

  /// Begins to rewrite a graph.
  package init(_ graph: Graph) {
    self.graph = graph
    writers = graph.writers()
    readers = graph.readers()
    isRemoved = [Bool](repeating: false, count: graph.nodes.count)
    var isOutput = [Bool](repeating: false, count: graph.values.count)
    for output in graph.outputs { isOutput[output.index] = true }
    self.isOutput = isOutput
  }

  /// The node at a position. The node must not be removed.
  package subscript(position: Int) -> Graph.Node { graph.nodes[position] }

  /// The value with this identifier.
  package subscript(value: Graph.ValueID) -> Graph.Value { graph[value] }

  /// Returns, for each input of a node, the input's constant; nil if the input is not a constant.
  package func constants(of node: Graph.Node) -> [Constant?] {
    node.inputs.map { graph[$0].constant }
  }

  /// Adds a value that a new node will write, and returns its identifier.
  package mutating func addValue(_ name: String, type: TensorType) -> Graph.ValueID {
    writers.append(nil)
    readers.append([])
    isOutput.append(false)
    return graph.addValue(name, type: type)
  }

  /// Adds a value that holds a constant, and returns its identifier.
  package mutating func addConstant(_ constant: Constant, name: String) -> Graph.ValueID {
    writers.append(nil)
    readers.append([])
    isOutput.append(false)
    return graph.addConstant(constant, name: name)
  }

  /// Returns whether the value is an output of the graph.
  package func isOutput(_ value: Graph.ValueID) -> Bool { isOutput[value.index] }

  /// Returns the position of the node that writes a value. Nil if no node writes the value, if the value does not have
  /// exactly one reader, or if it is an output of the graph.
  package func soleProducer(of value: Graph.ValueID) -> Int? {
    guard readers[value.index].count == 1, !isOutput(value) else { return nil }
    return writers[value.index]
  }

  /// Replaces the node at a position by another node.
  package mutating func replace(_ position: Int, with node: Graph.Node) {
    disconnect(position)
    graph.nodes[position] = node
    for input in node.inputs { readers[input.index].append(position) }
    for output in node.outputs { writers[output.index] = position }
  }

  /// Replaces the operator of a node. The node's inputs and outputs stay the same.
  package mutating func setOperator(_ layer: any Operator, at position: Int) {
    graph.nodes[position].operation = layer
  }

  /// Removes a node.
  package mutating func remove(_ position: Int) {
    disconnect(position)
    isRemoved[position] = true
    removedCount += 1
  }

  /// Removes the node `reader`, the only reader of the output of the node `producer`. From then on, `producer` writes
  /// the outputs of the removed node instead of its own output.
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

  /// Returns whether a node was not removed.
  fileprivate func isPresent(_ position: Int) -> Bool { !isRemoved[position] }

  /// Returns the graph without the removed nodes.
  fileprivate consuming func finished() -> Graph {
    graph.nodes = graph.nodes.indices.filter { !isRemoved[$0] }.map { graph.nodes[$0] }
    return graph
  }
}

extension Graph {
  /// Calls `change` with the position of every node. The closure returns whether it changed the graph. After a change,
  /// calls `change` again for the same node or for the node before it, until no call changes anything.
  package mutating func rewrite(_ change: (inout GraphRewriter, Int) throws -> Bool) rethrows {
    var rewriter = GraphRewriter(self)
    // During the rewriting, `self` is an empty graph. So only the rewriter refers to the nodes and values, and its
    // changes copy nothing.
    self = Graph()
    defer { self = rewriter.finished() }
    var position = 0
    let count = rewriter.graph.nodes.count
    while position < count {
      guard rewriter.isPresent(position) else {
        position += 1
        continue
      }
      let before = rewriter.removedCount
      guard try change(&rewriter, position) else {
        position += 1
        continue
      }
      // If the call removed other nodes and kept this node, the next call is for this node again. Otherwise the next
      // call is for the node before.
      let staysHere = rewriter.isPresent(position) && rewriter.removedCount > before
      guard !staysHere else { continue }
      var previous = position - 1
      while previous > 0, !rewriter.isPresent(previous) { previous -= 1 }
      position = max(0, previous)
    }
  }
}
