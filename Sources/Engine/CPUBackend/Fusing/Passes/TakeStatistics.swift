import Graph
import Operators
import Passes

/// Makes a convolution compute the block statistics (``BlockStatistics``) of its results while the results are in the
/// processor's cache. The instance norm after the convolution reads these statistics.
///
///     convolution ─ instance norm            convolution ┬─────────── instance norm
///                                                        └ statistics ┘
public enum TakeStatistics: GraphPass {
  public static let name = "TakeStatistics"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      let node = graph[position]
      guard var norm = node.operation.asFusedNorm, !norm.readsStatistics,
        let source = node.inputs.first,
        let type = graph[source].type, type.element == .float32,
        let producer = graph.writers[source.index],
        var convolution = graph[producer].operation.asFusedConvolution,
        graph.hasConstantParameters(convolution, producer)
      else { return false }
      var maker = graph[producer]
      if !convolution.takesStatistics {
        convolution.takesStatistics = true
        let statistics = graph.addValue(
          graph[source].name + "/statistics",
          type: TensorType(try BlockStatistics.shape(of: type.shape)))
        maker.operation = convolution
        maker.outputs.append(statistics)
        graph.replace(producer, with: maker)
      }
      norm.readsStatistics = true
      graph.replace(
        position,
        with: Graph.Node(
          name: node.name, operation: norm, inputs: node.inputs + [maker.outputs[1]],
          outputs: node.outputs))
      return true
    }
  }
}
