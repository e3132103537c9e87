/// Adjacent nodes of a graph, copied to a separate graph.
package struct GraphPart {
  /// The graph of the copied nodes. Its inputs are the values that the nodes read but do not write, without constants.
  /// Its outputs are the values that the nodes write and that are needed outside of the part.
  package var graph = Graph()
  /// The values of the original graph that become the part's inputs.
  package private(set) var inputs: [Graph.ValueID] = []
  /// The values of the original graph that become the part's outputs.
  package private(set) var outputs: [Graph.ValueID] = []

  /// Copies the nodes in a range of indices.
  ///
  /// - Parameter isNeeded: Returns whether a node after the range, or the caller, needs a value.
  package init(_ range: Range<Int>, of original: Graph, isNeeded: (Graph.ValueID) -> Bool) {
    var part = Graph()
    var moved: [Graph.ValueID: Graph.ValueID] = [:]
    func move(_ value: Graph.ValueID) -> Graph.ValueID {
      if let known = moved[value] { return known }
      let new = part.addValue(original[value].name, type: original[value].type)
      part[new].constant = original[value].constant
      part[new].narrowType = original[value].narrowType
      moved[value] = new
      return new
    }
    for node in original.nodes[range] {
      for input in node.inputs where moved[input] == nil {
        let new = move(input)
        if original[input].constant != nil { continue }
        part.inputs.append(new)
        inputs.append(input)
      }
      for output in node.outputs {
        let new = move(output)
        guard isNeeded(output) else { continue }
        part.outputs.append(new)
        outputs.append(output)
      }
      part.nodes.append(
        Graph.Node(
          name: node.name, operation: node.operation, inputs: node.inputs.map(move),
          outputs: node.outputs.map(move)))
    }
    graph = part
  }
}
