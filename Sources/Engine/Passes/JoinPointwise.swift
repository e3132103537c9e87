import Graph
import Operators

/// Fuses a pointwise operator with the pointwise operators that compute its inputs. The fused operator reads and writes
/// memory once.
///
///     multiply ─ add ─ ReLU                 chain(multiply, add, ReLU)
///
/// The pass fuses operators only if their results have the same number of elements, so nothing is computed more often
/// than before. For example, it does not fuse an operator that computes one number per channel with an operator that
/// scales the image by these numbers.
///
/// The pass fuses only operators on `float32`. A value of another type is rounded or wraps around between two
/// operators, and a fused operator would skip this. A conversion to bytes can be the last operator of a chain.
///
/// The pass runs after the passes that fuse activations and additions into convolutions.
public enum JoinPointwise: GraphPass {
  public static let name = "JoinPointwise"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let count = graph[node.outputs[0]].type?.shape.count, let chain = node.pointwiseChain,
        graph.isFloat32(node)
      else { return false }
      for input in node.inputs {
        // The node may read its input twice, for example to square it.
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
  /// Returns whether a node reads and writes only `float32`.
  package func isFloat32(_ node: Graph.Node) -> Bool {
    (node.inputs + node.outputs).allSatisfy { (self[$0].type?.element ?? .float32) == .float32 }
  }
}

extension Graph.Node {
  /// The node's operator as a chain of pointwise operators. Nil if the operator is not pointwise.
  fileprivate var pointwiseChain: PointwiseChain? {
    if let chain = operation as? PointwiseChain { return chain }
    guard let pointwise = operation as? any PointwiseOperator else { return nil }
    return PointwiseChain(pointwise, inputCount: inputs.count)
  }
}
