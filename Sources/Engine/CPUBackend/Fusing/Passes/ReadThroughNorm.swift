import Graph
import Operators
import Passes

/// Fuses an instance norm into the convolution after it. The convolution applies the norm while it reads its input, so
/// the norm's results are never written to memory.
///
///     convolution ┬─ instance norm ─ convolution       convolution ┬──────────── convolution
///                 └─ statistics ┘                                  └─ statistics ┘
///
/// Conditions:
/// - The norm does not compute statistics itself, but reads those that the convolution before it computes
///   (``TakeStatistics``).
/// - The norm has no residual, and its activation, if it has one, is a ReLU.
/// - One or two convolutions read the norm's result, and nothing else reads it. Each of these convolutions then
///   computes the norm separately.
public enum ReadThroughNorm: GraphPass {
  public static let name = "ReadThroughNorm"

  private static let maximumReaderCount = 2

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let norm = node.operation as? FusedNorm, norm.readsStatistics,
        norm.hasAtMostReLU,
        !graph.isOutput(node.outputs[0])
      else { return false }
      let readers: [Int] = graph.readers[node.outputs[0].index]
      // A convolution that reads the value both as its input and as its residual is listed twice.
      guard (1...maximumReaderCount).contains(readers.count), Set(readers).count == readers.count,
        readers.allSatisfy({ graph.canRead(through: node.outputs[0], at: $0) })
      else { return false }
      let source: Graph.ValueID = node.inputs[0]
      let isShared: Bool =
        readers.count > 1 || graph.readers[source.index].count > 1 || graph.isOutput(source)
      graph.remove(position)
      for reader in readers {
        let node = (norm: node, own: graph[reader])
        guard var convolution = node.own.operation.asFusedConvolution else { continue }
        convolution.inputNorm = norm
        convolution.sharesInput = isShared
        graph.replace(
          reader,
          with: Graph.Node(
            name: node.own.name, operation: convolution,
            inputs: [source] + node.own.inputs[1...] + node.norm.inputs[1...],
            outputs: node.own.outputs))
      }
      return true
    }
  }
}

extension GraphRewriter {
  /// Returns whether the node at `position` is a convolution into which an instance norm can be fused. The convolution
  /// must read the value as its first input, must not have an input norm yet, and must have kernels that can apply the
  /// norm.
  fileprivate func canRead(through value: Graph.ValueID, at position: Int) -> Bool {
    guard let convolution = self[position].operation.asFusedConvolution else { return false }
    return convolution.core.groups == 1 && convolution.inputNorm == nil
      && self[position].inputs[0] == value && hasConstantParameters(convolution, position)
  }
}
