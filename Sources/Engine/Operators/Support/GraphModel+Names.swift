import Graph

extension GraphModel {
  /// Gives the graph's inputs and outputs the names of the model's features. Every output must be a separate value, so
  /// an output that is also an input, a constant or another output is copied.
  public mutating func namePorts() {
    for (value, feature) in zip(graph.inputs, inputs) { graph[value].name = feature.name }
    var named = Set(graph.inputs)
    let portNames = Set(inputs.map(\.name) + outputs.map(\.name))
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
    // An inner value must not have the name of an input or output.
    for index in graph.values.indices {
      let value = Graph.ValueID(index)
      if !named.contains(value), portNames.contains(graph[value].name) {
        graph[value].name += " inside"
      }
    }
  }
}
