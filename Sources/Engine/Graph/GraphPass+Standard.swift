/// Computes at planning time what does not depend on the network's inputs.
public enum FoldConstants: GraphPass {
  public static let name = "FoldConstants"

  /// Constants above this many values stay layers: folding a broadcast of one number to a whole
  /// picture would cost memory and save nothing.
  static let largestFold = 1 << 20

  public static func run(on graph: inout Graph) throws {
    var kept: [Graph.Node] = []
    for node in graph.nodes {
      let inputs = node.inputs.compactMap { graph[$0].constant }
      let outputCount = node.outputs.reduce(0) { $0 + (graph[$1].type?.shape.count ?? Int.max / 8) }
      guard inputs.count == node.inputs.count, outputCount <= largestFold,
        type(of: node.layer).isDeterministic
      else {
        kept.append(node)
        continue
      }
      let outputs: [ReferenceTensor]
      do {
        outputs = try node.layer.reference(inputs)
      } catch let error as EngineError {
        throw error.naming(type(of: node.layer).declaration.name, node.name)
      }
      for (value, tensor) in zip(node.outputs, outputs) {
        // What the run would have stored between layers is float32.
        graph[value].constant = ReferenceTensor(
          tensor.shape, tensor.values.map { Double(Float($0)) })
        graph[value].type = graph[value].type ?? TensorType(tensor.shape)
      }
    }
    graph.nodes = kept
  }
}

/// Drops layers whose outputs nobody reads.
public enum RemoveDeadCode: GraphPass {
  public static let name = "RemoveDeadCode"

  public static func run(on graph: inout Graph) throws {
    var needed = Set(graph.outputs)
    var kept: [Graph.Node] = []
    for node in graph.nodes.reversed() where node.outputs.contains(where: needed.contains) {
      kept.append(node)
      needed.formUnion(node.inputs)
    }
    graph.nodes = kept.reversed()
  }
}
