import Graph
import Operators

/// Pointwise operators that follow each other become one, which passes over memory once.
///
///     multiply ─ add ─ ReLU                 chain(multiply, add, ReLU)
///
/// Joined are operators whose results have the same number of elements, so that nothing is computed
/// more often than before: the statistics of a norm stay apart from the picture that they scale. All is
/// `float32`: values of other types are rounded, or wrap around, between the operators. What makes bytes ends a chain.
/// Runs after the passes that fuse activations and additions into convolutions.
public enum JoinPointwise: GraphPass {
  public static let name = "JoinPointwise"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let count = graph[node.outputs[0]].type?.shape.count, let chain = node.pointwiseChain,
        graph.isFloat32(node)
      else { return false }
      for input in node.inputs {
        // The reader may read the value twice, as a square does.
        guard let producer = graph.writers[input.index], !graph.isOutput(input),
          graph.readers[input.index].allSatisfy({ $0 == position }),
          graph[input].constant == nil, graph[input].type?.shape.count == count,
          let first = graph[producer].pointwiseChain, graph.isFloat32(graph[producer]),
          !first.program.makesBytes
        else { continue }
        let positions = Set(node.inputs.indices.filter { node.inputs[$0] == input })
        let joined = chain.reading(first, at: positions)
        guard joined.program.fitsKernel else { continue }
        let others = node.inputs.filter { $0 != input }
        let inputs = graph[producer].inputs + others
        graph.remove(producer)
        graph.replace(
          position,
          with: Graph.Node(
            name: node.name, operation: joined, inputs: inputs, outputs: node.outputs))
        return true
      }
      return false
    }
  }
}

extension GraphRewriter {
  /// Whether a node reads and writes nothing but `float32`.
  package func isFloat32(_ node: Graph.Node) -> Bool {
    (node.inputs + node.outputs).allSatisfy { (self[$0].type?.element ?? .float32) == .float32 }
  }
}

extension Graph.Node {
  /// The node as a chain; nil where it is not pointwise.
  fileprivate var pointwiseChain: PointwiseChain? {
    if let chain = operation as? PointwiseChain { return chain }
    guard let pointwise = operation as? any PointwiseOperator else { return nil }
    return PointwiseChain(pointwise, inputCount: inputs.count)
  }
}
