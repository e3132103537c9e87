import Graph
import Operators

/// Some operators read a shape, bounds or a count from an input (``FixableOperator``). If the value of this input is
/// known, the pass replaces the operator by an operator that has the value as a parameter:
///
///     x ─ reshape ─             x ─ reshape(2 × 8) ─
///         shape ┘
public enum FixComputedShapes: GraphPass {
  public static let name = "FixComputedShapes"

  public static func run(on graph: inout Graph) throws {
    for position in graph.nodes.indices {
      let node: Graph.Node = graph.nodes[position]
      guard let operation = node.operation as? any FixableOperator,
        let output = node.outputs.first.flatMap({ graph[$0].type })
      else { continue }
      let inputs: [OperatorInput] = node.inputs.compactMap { input in
        graph[input].type.map { OperatorInput($0, constant: graph[input].constant) }
      }
      guard inputs.count == node.inputs.count else { continue }
      do {
        guard let fixed = try operation.fixed(by: inputs, output: output) else { continue }
        graph.nodes[position].operation = fixed.operation
        graph.nodes[position].inputs = Array(node.inputs.prefix(fixed.inputCount))
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
  }
}
