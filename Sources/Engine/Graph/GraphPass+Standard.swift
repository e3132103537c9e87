/// Computes, during planning, the values that do not depend on the network's inputs.
public enum FoldConstants: GraphPass {
  public static let name = "FoldConstants"

  /// The pass computes no output with more elements than this. For example, an image filled with one number would cost
  /// memory as a constant, and folding it would save nothing.
  package static let largestFold = 1 << 20

  /// The pass decodes no constant with more elements than this, because planning checks the memory budget only after
  /// this pass. If a node needs only a few elements of a larger constant, it reads them when the network runs.
  private static let largestSource = 1 << 24

  public static func run(on graph: inout Graph) throws {
    var remaining: [Graph.Node] = []
    for node in graph.nodes {
      if node.outputs.allSatisfy({ graph[$0].constant != nil }), !node.outputs.isEmpty { continue }
      let constants = node.inputs.compactMap { graph[$0].constant }
      guard constants.count == node.inputs.count, isSmall(node, in: graph),
        type(of: node.operation).isDeterministic
      else {
        remaining.append(node)
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
    graph.nodes = remaining
  }

  private static func isSmall(_ node: Graph.Node, in graph: Graph) -> Bool {
    node.outputs.allSatisfy { output in
      guard let type = graph[output].type else { return false }
      return type.shape.count <= largestFold
    } && node.inputs.allSatisfy { graph[$0].constant?.count ?? 0 <= largestSource }
  }
}

/// Removes nodes whose outputs are neither outputs of the graph nor inputs of a node that remains.
public enum RemoveDeadCode: GraphPass {
  public static let name = "RemoveDeadCode"

  public static func run(on graph: inout Graph) throws {
    var needed = Set(graph.outputs)
    var remaining: [Graph.Node] = []
    for node in graph.nodes.reversed()
    where node.leaving != nil || node.outputs.contains(where: needed.contains) {
      remaining.append(node)
      needed.formUnion(node.inputs)
      needed.formUnion(node.leaving ?? [])
    }
    graph.nodes = remaining.reversed()
  }
}
