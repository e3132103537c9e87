import Graph
import Operators
import Passes

/// Folds a crop into the deconvolution before it. A deconvolution cuts off rows and columns of its output in any case.
///
///     deconvolution ─ crop                  deconvolution(padding + crop, outputShape: cropped)
public enum FoldCropIntoDeconvolution: GraphPass {
  public static let name = "FoldCropIntoDeconvolution"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      guard let crop = graph[position].operation as? CropOperator, crop.referenceOffset == nil,
        let producer = graph.soleProducer(of: graph[position].inputs[0]),
        var layer = graph[producer].operation as? ConvolutionOperator, layer.isDeconvolution,
        layer.groups == 1,
        let input = graph[graph[producer].inputs[0]].type?.shape,
        let output = graph[graph[position].outputs[0]].type?.shape
      else { return false }
      let geometry = try ConvolutionOperator.Geometry(layer, height: input[-2], width: input[-1])
      layer.padding = .valid(
        top: geometry.top + crop.amounts.top, left: geometry.left + crop.amounts.left, bottom: 0,
        right: 0)
      layer.outputShape = ConvolutionOperator.Pair(output[-2], output[-1])
      graph.setOperator(layer, at: producer)
      graph.absorb(reader: position, into: producer)
      return true
    }
  }
}

/// Moves a crop into the convolution before it, so that cropped pixels are never computed.
///
/// The residual of a convolution is a second image that the convolution adds to its result. If a convolution reads only
/// the inner part of its residual, the pass also narrows the convolution that computes the residual.
///
///     convolution ─ crop                    convolution(padding - crop)
///
/// If the crop cuts off more than the convolution's padding provides, the padding becomes negative: the convolution
/// skips pixels at the edges of its input. Our own kernels support negative padding. The kernels of oneDNN do not, so
/// the plan cannot use them for this convolution. The pass leaves a crop that removes less than a twentieth of the
/// pixels, because doing without oneDNN's kernels would cost more time than such a crop saves.
public enum FoldCropIntoConvolution: GraphPass {
  public static let name = "FoldCropIntoConvolution"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      let node = graph[position]
      if let crop = node.operation as? CropOperator, crop.referenceOffset == nil {
        guard let producer = graph.soleProducer(of: node.inputs[0]),
          let narrowed = try graph.convolution(at: producer, without: crop.amounts)
        else { return false }
        graph.setOperator(narrowed, at: producer)
        graph.absorb(reader: position, into: producer)
        return true
      }
      return try graph.narrowResidual(of: position)
    }
  }
}

extension GraphRewriter {
  /// Narrows the convolution that computes the residual of the convolution at `position`. The narrowed convolution
  /// computes only the part of the residual that is read.
  ///
  /// - Returns: whether a convolution was narrowed.
  fileprivate mutating func narrowResidual(of position: Int) throws -> Bool {
    var node: Graph.Node = self[position]
    guard var reader = node.operation as? FusedConvolution,
      let (offset, input) = reader.steps?.residual, let result = self[node.outputs[0]].type,
      let producedType = self[node.inputs[input]].type,
      let producer = soleProducer(of: node.inputs[input])
    else { return false }
    let amounts = EdgeAmounts(
      top: offset.top, bottom: producedType.shape[-2] - result.shape[-2] - offset.top,
      left: offset.left, right: producedType.shape[-1] - result.shape[-1] - offset.left)
    guard let narrowed = try convolution(at: producer, without: amounts) else { return false }
    let read: Graph.ValueID = addValue(self[node.inputs[input]].name, type: result)
    var maker: Graph.Node = self[producer]
    maker.operation = narrowed
    maker.outputs[0] = read
    replace(producer, with: maker)
    reader.moveResidual(top: -offset.top, left: -offset.left)
    node.operation = reader
    node.inputs[input] = read
    replace(position, with: node)
    return true
  }

  /// Returns the convolution of the node at `position`, changed so that it does not compute the rows and columns in
  /// `cut`. Nil if the node is not a convolution that our kernels compute, or if `cut` is less than a twentieth of the
  /// pixels.
  fileprivate func convolution(at position: Int, without cut: EdgeAmounts) throws
    -> (any Operator)?
  {
    let node: Graph.Node = self[position]
    guard var layer = node.operation.asFusedConvolution, !layer.core.isDeconvolution,
      layer.upsampling == 1, layer.core.groups == 1, !layer.takesStatistics, layer.inputNorm == nil,
      hasConstantParameters(layer, position),
      let input = self[node.inputs[0]].type?.shape, let output = self[node.outputs[0]].type?.shape
    else { return nil }
    let height: Int = output[-2] - cut.top - cut.bottom
    let width: Int = output[-1] - cut.left - cut.right
    guard height > 0, width > 0, height * width * 20 <= output[-2] * output[-1] * 19 else {
      return nil
    }
    let geometry = try layer.geometry(height: input[-2], width: input[-1])
    let top: Int = geometry.top - cut.top * layer.core.stride.height
    let left: Int = geometry.left - cut.left * layer.core.stride.width
    layer.core.padding = .valid(
      top: top, left: left,
      bottom: (height - 1) * layer.core.stride.height + layer.core.window.height - input[-2] - top,
      right: (width - 1) * layer.core.stride.width + layer.core.window.width - input[-1] - left)
    layer.moveResidual(top: cut.top, left: cut.left)
    return layer.simplified
  }
}

extension FusedConvolution {
  /// Moves the first row and column of the residual.
  fileprivate mutating func moveResidual(top: Int, left: Int) {
    epilogue = epilogue.map { step in
      guard case .residual(let offset) = step else { return step }
      return .residual(CropOperator.Offset(top: offset.top + top, left: offset.left + left))
    }
  }
}
