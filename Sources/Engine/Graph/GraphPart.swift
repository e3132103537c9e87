/// Neighbouring nodes of a graph as a graph of their own.
package struct GraphPart {
  /// The nodes, with what they read and make as inputs and outputs.
  package var graph = Graph()
  /// The values of the whole graph that are its inputs.
  package private(set) var inputs: [Graph.ValueID] = []
  /// The values of the whole graph that are its outputs.
  package private(set) var outputs: [Graph.ValueID] = []

  /// The nodes of a range.
  ///
  /// - Parameter isNeeded: whether a value is read after the range.
  package init(_ range: Range<Int>, of whole: Graph, isNeeded: (Graph.ValueID) -> Bool) {
    var part = Graph()
    var moved: [Graph.ValueID: Graph.ValueID] = [:]
    func move(_ value: Graph.ValueID) -> Graph.ValueID {
      if let known = moved[value] { return known }
      let new = part.addValue(whole[value].name, type: whole[value].type)
      part[new].constant = whole[value].constant
      moved[value] = new
      return new
    }
    for node in whole.nodes[range] {
      for input in node.inputs where moved[input] == nil {
        let new = move(input)
        if whole[input].constant != nil { continue }
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
