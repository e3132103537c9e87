import Graph
import Operators

extension Graph {
  /// Replaces each output size that a deconvolution states. An output padding takes its place: the difference between
  /// the stated size and the natural size, which follows from the input size. The network can then also run at input
  /// sizes other than the declared size.
  ///
  /// For example, FNSCandy is fully convolutional except for two deconvolutions, which state output sizes of 362 and
  /// 722 pixels. Both sizes are one pixel more than the natural size. At the declared input size, the replacement
  /// changes nothing.
  ///
  /// - Parameter inputTypes: the types that the model declares for the graph's inputs.
  public mutating func freeOutputShapes(from inputTypes: [TensorType]) throws {
    var declared = self
    try declared.inferTypes(from: inputTypes)
    for (position, node) in declared.nodes.enumerated() {
      guard var layer = node.operation as? ConvolutionOperator, layer.isDeconvolution,
        let stated = layer.outputShape, let input = declared[node.inputs[0]].type?.shape
      else { continue }
      let before = try ConvolutionOperator.Geometry(layer, height: input[-2], width: input[-1])
      layer.outputShape = nil
      let natural = try ConvolutionOperator.Geometry(layer, height: input[-2], width: input[-1])
      // The deconvolution keeps its stated size if its padding at the top or left would differ without a stated size.
      guard natural.top == before.top, natural.left == before.left else { continue }
      layer.outputPadding = ConvolutionOperator.Pair(
        stated.height - natural.outputHeight, stated.width - natural.outputWidth)
      nodes[position].operation = layer
    }
  }
}
