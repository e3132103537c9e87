import Graph
import Operators

/// Folds zero padding into the convolution after it.
///
///     x ─ padding(0) ─ convolution          x ─ convolution(padding of both)
public enum FoldPadding: GraphPass {
  public static let name = "FoldPadding"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      guard var layer = graph[position].operation as? ConvolutionOperator, !layer.isDeconvolution,
        let producer = graph.writers[graph[position].inputs[0].index],
        let padding = graph[producer].operation as? PaddingOperator, padding.mode == .constant(0),
        let padded = graph[graph[position].inputs[0]].type?.shape, padded.rank >= 3,
        let output = graph[graph[position].outputs[0]].type?.shape
      else { return false }
      let geometry = try ConvolutionOperator.Geometry(layer, height: padded[-2], width: padded[-1])
      let bottom: Int =
        (output[-2] - 1) * layer.stride.height + layer.window.height - padded[-2] - geometry.top
      let right: Int =
        (output[-1] - 1) * layer.stride.width + layer.window.width - padded[-1] - geometry.left
      let amounts = padding.amounts
      // If the last window ends before the last pixel because of the stride, the convolution's padding at the bottom or
      // right is negative.
      guard bottom + amounts.bottom >= 0, right + amounts.right >= 0 else { return false }
      layer.padding = .valid(
        top: geometry.top + amounts.top, left: geometry.left + amounts.left,
        bottom: bottom + amounts.bottom, right: right + amounts.right)
      var node = graph[position]
      node.operation = layer
      node.inputs[0] = graph[producer].inputs[0]
      graph.replace(position, with: node)
      return true
    }
  }
}
