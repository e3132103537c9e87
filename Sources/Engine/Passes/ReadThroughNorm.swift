import Graph
import Operators

/// Convolutions read their input through the instance norm in front, whose results then need not be written.
///
///     convolution ┬─ instance norm ─ convolution       convolution ┬──────────── convolution
///                 └─ statistics ┘                                  └─ statistics ┘
///
/// The norm's statistics are known, nothing is added to its results, its activation, if it has one, is a ReLU, and one
/// or two convolutions and nobody else read it: each applies it once more.
public enum ReadThroughNorm: GraphPass {
  public static let name = "ReadThroughNorm"

  private static let mostReaders = 2

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let norm = node.operation as? BatchNormOperator, norm.readsStatistics,
        norm.residual == nil, [nil, .reLU].contains(norm.activation),
        !graph.isOutput(node.outputs[0])
      else { return false }
      let readers: [Int] = graph.readers[node.outputs[0].index]
      // A convolution that adds its input to its results stands there twice.
      guard (1...mostReaders).contains(readers.count), Set(readers).count == readers.count,
        readers.allSatisfy({ graph.canRead(through: node.outputs[0], at: $0) })
      else { return false }
      let source: Graph.ValueID = node.inputs[0]
      let isShared: Bool =
        readers.count > 1 || graph.readers[source.index].count > 1 || graph.isOutput(source)
      graph.remove(position)
      for reader in readers {
        let node = (norm: node, own: graph[reader])
        guard var convolution = node.own.operation as? ConvolutionOperator else { continue }
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
  /// Whether a node is a convolution of a value, with nothing in front of it, whose kernels fuse.
  fileprivate func canRead(through value: Graph.ValueID, at position: Int) -> Bool {
    guard let convolution = self[position].operation as? ConvolutionOperator else { return false }
    return convolution.groups == 1 && convolution.inputNorm == nil
      && self[position].inputs[0] == value && hasConstantParameters(convolution, position)
  }
}
