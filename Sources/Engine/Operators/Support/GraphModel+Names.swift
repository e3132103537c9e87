import Graph

extension GraphModel {
  /// Gives the values at the border the names that callers know them by, each a value of its own: what is an
  /// input as it came, a constant, or an output twice is copied.
  public mutating func nameBorder() {
    for (value, feature) in zip(graph.inputs, inputs) { graph[value].name = feature.name }
    var named = Set(graph.inputs)
    let border = Set(inputs.map(\.name) + outputs.map(\.name))
    for (position, feature) in outputs.enumerated() {
      let value: Graph.ValueID = graph.outputs[position]
      guard graph[value].constant != nil || !named.insert(value).inserted else {
        graph[value].name = feature.name
        continue
      }
      let copy: Graph.ValueID = graph.addValue(feature.name)
      graph.nodes.append(
        Graph.Node(
          name: feature.name, operation: CopyOperator(), inputs: [value], outputs: [copy]))
      graph.outputs[position] = copy
      graph.imageOutputs[copy] = graph.imageOutputs[value]
      named.insert(copy)
    }
    // No value inside may have a name of the border.
    for index in graph.values.indices {
      let value = Graph.ValueID(index)
      if !named.contains(value), border.contains(graph[value].name) {
        graph[value].name += " inside"
      }
    }
  }
}
