/// Computes at planning time what does not depend on the network's inputs.
public enum FoldConstants: GraphPass {
  public static let name = "FoldConstants"

  /// Constants above this many values stay layers: folding a broadcast of one number to a whole
  /// picture would cost memory and save nothing.
  package static let largestFold = 1 << 20

  /// Constants above this many values are not decoded while planning, before the budget was asked: a few
  /// elements of a large one are taken when the network runs.
  private static let largestSource = 1 << 24

  public static func run(on graph: inout Graph) throws {
    var kept: [Graph.Node] = []
    for node in graph.nodes {
      if node.outputs.allSatisfy({ graph[$0].constant != nil }), !node.outputs.isEmpty { continue }
      let constants = node.inputs.compactMap { graph[$0].constant }
      guard constants.count == node.inputs.count, isSmall(node, in: graph),
        type(of: node.operation).isDeterministic
      else {
        kept.append(node)
        continue
      }
      let outputs: [ReferenceTensor]
      do {
        outputs = try node.operation.define(
          constants.map { try $0.tensor() }, types: node.outputs.compactMap { graph[$0].type })
      } catch let error as EngineError {
        throw error.naming(node)
      }
      for (value, tensor) in zip(node.outputs, outputs) {
        graph[value].constant = Constant(tensor.stored)
        graph[value].type = graph[value].type ?? tensor.type
      }
    }
    graph.nodes = kept
  }

  private static func isSmall(_ node: Graph.Node, in graph: Graph) -> Bool {
    node.outputs.allSatisfy { output in
      guard let type = graph[output].type else { return false }
      return type.shape.count <= largestFold
    } && node.inputs.allSatisfy { graph[$0].constant?.count ?? 0 <= largestSource }
  }
}

/// Drops layers whose outputs nobody reads.
public enum RemoveDeadCode: GraphPass {
  public static let name = "RemoveDeadCode"

  public static func run(on graph: inout Graph) throws {
    var needed = Set(graph.outputs)
    var kept: [Graph.Node] = []
    for node in graph.nodes.reversed()
    where node.leaving != nil || node.outputs.contains(where: needed.contains) {
      kept.append(node)
      needed.formUnion(node.inputs)
      needed.formUnion(node.leaving ?? [])
    }
    graph.nodes = kept.reversed()
  }
}
