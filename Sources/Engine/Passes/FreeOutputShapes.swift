import Graph
import Operators

extension Graph {
  /// Replaces the output sizes that deconvolutions state by how far they are beyond the natural size,
  /// so that the network runs at other sizes than the one that it declares.
  ///
  /// FNSCandy, for one, is fully convolutional but for two deconvolutions that state 362 and 722
  /// pixels, one more than natural. At the declared size nothing changes.
  ///
  /// - Parameter inputTypes: the types that the model declares, one an input.
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
      // Where the padding in front would change with the size, the stated one stays.
      guard natural.top == before.top, natural.left == before.left else { continue }
      layer.outputPadding = ConvolutionOperator.Pair(
        stated.height - natural.outputHeight, stated.width - natural.outputWidth)
      nodes[position].operation = layer
    }
  }
}
