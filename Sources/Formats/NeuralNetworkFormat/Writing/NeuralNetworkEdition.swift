import Graph
import ModelFormat
import Operators

/// The systems that a written NeuralNetwork must run on.
public enum NeuralNetworkEdition: Sendable {
  /// Version 5 of the format (iOS 14, macOS 11). This version has every layer. Arrays have the dimensions that the
  /// graph states.
  case latest
  /// The oldest version that expresses the model: version 1, 2 or 3, or else version 5. If the model is trained on the
  /// device, the version is at least 4. Up to version 3 (iOS 12, macOS 10.14), layers compute with five dimensions,
  /// `[sequence, batch, C, H, W]`. In these versions, an output that declares no extents has all five dimensions.
  case oldest
}

extension GraphModel {
  /// Returns the model for a network of versions 1 to 3. Such a network computes with five dimensions: every value gets
  /// an additional dimension before its four dimensions. Nil if such a network cannot compute the model, or would give
  /// other results.
  ///
  /// Inputs and outputs may be images, or arrays that callers see as `[C]` or `[C, H, W]`. The format adds and drops
  /// the other axes of such arrays implicitly. So this function removes the operators that add and drop these axes.
  func inFiveDimensions() -> GraphModel? {
    var model: GraphModel = self
    let known = KnownTypes(of: self)
    for position in inputs.indices {
      guard inputs[position].image != nil || model.takeArray(position) else { return nil }
    }
    for position in outputs.indices {
      guard outputs[position].image != nil || model.giveArray(position) else { return nil }
    }
    let isOld: Bool = model.graph.nodes.allSatisfy { node in
      node.isOfFirstVersions
        && node.outputs.allSatisfy { value in
          known.extents(of: value).map { $0.count == 4 && $0[0] == 1 } ?? false
        }
    }
    return isOld ? model : nil
  }

  /// Removes the operator that expands an input to the axes `[1, C, H, W]`. Returns false if there is no such operator.
  private mutating func takeArray(_ position: Int) -> Bool {
    let outer: Graph.ValueID = graph.inputs[position]
    guard inputs[position].held == .float32 else { return false }
    let readers: [Int] = graph.nodes.indices.filter { graph.nodes[$0].inputs.contains(outer) }
    guard readers.count == 1, !graph.outputs.contains(outer),
      let expanding = graph.nodes[readers[0]].operation as? ExpandDimsOperator,
      let extents = inputs[position].extents,
      (extents.count == 1 && expanding.axes == [0, 2, 3])
        || (extents.count == 3 && expanding.axes == [0])
    else { return false }
    graph.inputs[position] = graph.nodes[readers[0]].outputs[0]
    graph.nodes.remove(at: readers[0])
    return true
  }

  /// Removes the operator that gives an output its declared axes: the operator drops axes of extent one, or adds the
  /// first of five dimensions. Returns false if the format does not drop or add these axes implicitly. An output
  /// without declared extents stays unchanged.
  private mutating func giveArray(_ position: Int) -> Bool {
    let isProbability: Bool = classes?.output == position
    guard let extents = outputs[position].extents else { return !isProbability }
    let outer: Graph.ValueID = graph.outputs[position]
    guard let writer = graph.nodes.firstIndex(where: { $0.outputs == [outer] }),
      !graph.nodes.contains(where: { $0.inputs.contains(outer) }),
      graph.outputs.filter({ $0 == outer }).count == 1
    else { return false }
    switch graph.nodes[writer].operation {
    case let expanding as ExpandDimsOperator:
      guard !isProbability, expanding.axes == [0] else { return false }
      // An output without declared extents has all five dimensions.
      outputs[position].extents = nil
    case let reshape as ReshapeStaticOperator:
      guard isProbability, reshape.targetShape == [-1] else { return false }
    case let squeeze as SqueezeOperator:
      guard !isProbability, extents.count == 1, squeeze.axes == [0, 2, 3] else { return false }
    default: return false
    }
    graph.outputs[position] = graph.nodes[writer].inputs[0]
    graph.nodes.remove(at: writer)
    return true
  }

  /// The first version that expresses the model's inputs and weights. The model's layers may need a later version.
  var oldestVersion: Int32 {
    let isFlexible: Bool = inputs.contains { feature in
      !feature.choices.isEmpty || feature.extents?.contains { $0.fixed == nil } ?? true
    }
    // Flexible sizes and quantised weights need version 3, and float16 weights need version 2.
    if isFlexible { return 3 }
    let stored: [StoredValues] = graph.values.compactMap { $0.constant?.stored }
    if stored.contains(where: { $0.storedElement == nil }) { return 3 }
    return stored.contains { $0.storedElement == .float16 } ? 2 : 1
  }
}

extension Graph.Node {
  /// Whether versions 1 to 3 have a layer that computes this operator on the last four of its five dimensions.
  fileprivate var isOfFirstVersions: Bool {
    guard regions.isEmpty else { return false }
    switch operation {
    case let convolution as ConvolutionOperator: return !convolution.isDeconvolution
    case let joining as ConcatOperator: return !joining.joinsSequence
    case let upsampling as UpsampleOperator:
      return upsampling.mode == .nearest && upsampling.hasIntegerFactors
    case is ActivationOperator, is AddOperator, is BatchNormOperator, is CropOperator,
      is InnerProductOperator, is L2NormalizeOperator,
      is LocalResponseNormalizationOperator, is PaddingOperator, is PoolingOperator,
      is ScaleOperator, is SoftmaxOperator:
      return true
    default: return false
    }
  }
}
