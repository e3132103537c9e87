import Graph
import Operators

/// A crop behind a deconvolution becomes part of what the deconvolution cuts off anyway.
///
///     deconvolution ─ crop                  deconvolution(padding + crop, outputShape: cropped)
public enum FoldCropIntoDeconvolution: GraphPass {
  public static let name = "FoldCropIntoDeconvolution"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      guard let crop = graph[position].operation as? CropOperator, crop.referenceOffset == nil,
        let producer = graph.soleProducer(of: graph[position].inputs[0]),
        var layer = graph[producer].operation as? ConvolutionOperator, layer.isDeconvolution,
        layer.groups == 1, layer.activation == nil, layer.residual == nil,
        let input = graph[graph[producer].inputs[0]].type?.shape,
        let output = graph[graph[position].outputs[0]].type?.shape
      else { return false }
      let geometry = try ConvolutionOperator.Geometry(layer, height: input[-2], width: input[-1])
      layer.padding = .valid(
        top: geometry.top + crop.amounts.top, left: geometry.left + crop.amounts.left, bottom: 0,
        right: 0)
      layer.outputShape = ConvolutionOperator.Pair(output[-2], output[-1])
      graph.setLayer(layer, at: producer)
      graph.absorb(reader: position, into: producer)
      return true
    }
  }
}

/// A convolution does not make what a crop cuts off its results, nor what nobody reads of them as a residual.
///
///     convolution ─ crop                    convolution(padding - crop)
///
/// Padding becomes negative where whole pixels of the input are no longer seen. Our own kernels know that, and
/// oneDNN's do not, so little is not cut off: a frame of less than a twentieth of the pixels stays.
public enum FoldCropIntoConvolution: GraphPass {
  public static let name = "FoldCropIntoConvolution"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      let node = graph[position]
      if let crop = node.operation as? CropOperator, crop.referenceOffset == nil {
        guard let producer = graph.soleProducer(of: node.inputs[0]),
          let narrowed = try graph.convolution(at: producer, without: crop.amounts)
        else { return false }
        graph.setLayer(narrowed, at: producer)
        graph.absorb(reader: position, into: producer)
        return true
      }
      return try graph.narrowResidual(of: position)
    }
  }
}

extension GraphRewriter {
  /// Lets a convolution that makes the residual of a convolution make no more of it than is read.
  ///
  /// - Returns: whether there was such a convolution, and it made more.
  fileprivate mutating func narrowResidual(of position: Int) throws -> Bool {
    var node: Graph.Node = self[position]
    guard var reader = node.operation as? ConvolutionOperator, let offset = reader.residual,
      let input = reader.residualInput, let result = self[node.outputs[0]].type,
      let made = self[node.inputs[input]].type, let producer = soleProducer(of: node.inputs[input])
    else { return false }
    let amounts = EdgeAmounts(
      top: offset.top, bottom: made.shape[-2] - result.shape[-2] - offset.top,
      left: offset.left, right: made.shape[-1] - result.shape[-1] - offset.left)
    guard let narrowed = try convolution(at: producer, without: amounts) else { return false }
    let read: Graph.ValueID = addValue(self[node.inputs[input]].name, type: result)
    var maker: Graph.Node = self[producer]
    maker.operation = narrowed
    maker.outputs[0] = read
    replace(producer, with: maker)
    reader.residual = CropOperator.Offset()
    node.operation = reader
    node.inputs[input] = read
    replace(position, with: node)
    return true
  }

  /// The convolution of a node that makes so much less; nil where the node is none that our kernels compute, or the
  /// amounts are small.
  fileprivate func convolution(at position: Int, without cut: EdgeAmounts) throws
    -> ConvolutionOperator?
  {
    let node: Graph.Node = self[position]
    guard var layer = node.operation as? ConvolutionOperator, !layer.isDeconvolution,
      layer.upsampling == 1, layer.groups == 1, !layer.takesStatistics, layer.inputNorm == nil,
      hasConstantParameters(layer, position),
      let input = self[node.inputs[0]].type?.shape, let output = self[node.outputs[0]].type?.shape
    else { return nil }
    let height: Int = output[-2] - cut.top - cut.bottom
    let width: Int = output[-1] - cut.left - cut.right
    guard height > 0, width > 0, height * width * 20 <= output[-2] * output[-1] * 19 else {
      return nil
    }
    let geometry = try ConvolutionOperator.Geometry(layer, height: input[-2], width: input[-1])
    let top: Int = geometry.top - cut.top * layer.stride.height
    let left: Int = geometry.left - cut.left * layer.stride.width
    layer.padding = .valid(
      top: top, left: left,
      bottom: (height - 1) * layer.stride.height + layer.window.height - input[-2] - top,
      right: (width - 1) * layer.stride.width + layer.window.width - input[-1] - left)
    layer.residual?.top += cut.top
    layer.residual?.left += cut.left
    return layer
  }
}
