import Graph
import Operators
import Passes

/// Folds nearest-neighbour upsampling into the convolution after it. The enlarged image is then never stored, and the
/// multiply-adds of repeated pixels are computed only once.
///
///     x ─ upsample(2) ─ convolution         x ─ convolution(upsampling: 2)
public enum FoldUpsampling: GraphPass {
  public static let name = "FoldUpsampling"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      guard var layer = graph[position].operation.asFusedConvolution, !layer.core.isDeconvolution,
        layer.upsampling == 1, layer.core.groups == 1, graph.hasConstantParameters(layer, position),
        layer.core.stride == FusedConvolution.Pair(1, 1),
        layer.core.dilation == FusedConvolution.Pair(1, 1),
        let producer = graph.writers[graph[position].inputs[0].index],
        let upsample = graph[producer].operation as? UpsampleOperator, upsample.mode == .nearest,
        upsample.heightFactor == upsample.widthFactor, (2...4).contains(upsample.heightFactor),
        upsample.heightFactor == upsample.heightFactor.rounded()
      else { return false }
      layer.upsampling = Int(upsample.heightFactor)
      var node = graph[position]
      node.operation = layer
      node.inputs[0] = graph[producer].inputs[0]
      graph.replace(position, with: node)
      return true
    }
  }
}

extension GraphRewriter {
  /// Returns whether the weights and the bias of the convolution at `position` are constants. For convolutions whose
  /// weights change between runs, kernels support fewer fused operators.
  func hasConstantParameters(_ convolution: FusedConvolution, _ position: Int) -> Bool {
    let constants: [Constant?] = constants(of: self[position])
    return constants[1..<convolution.coreInputCount].allSatisfy { $0 != nil }
  }
}
