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
