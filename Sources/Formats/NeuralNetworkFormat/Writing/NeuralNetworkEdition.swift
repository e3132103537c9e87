import Graph
import ModelFormat
import Operators

/// For which systems a NeuralNetwork is written.
public enum NeuralNetworkEdition: Sendable {
  /// Version 5 of the format, which has every layer and whose arrays have the dimensions that the graph states:
  /// iOS 14, macOS 11.
  case latest
  /// The oldest version that says the same, else version 5. Up to version 3 (iOS 12, macOS 10.14) layers compute
  /// with five dimensions, `[sequence, batch, C, H, W]`; an output that declares no extents comes out with them.
  case oldest
}

extension GraphModel {
  /// The model as networks of the first three versions compute it, with a fifth dimension in front of every
  /// value; nil where they compute something else, or nothing.
  ///
  /// Pictures and what callers see as `[C]` or `[C, H, W]` cross the border; the operators that add and drop
  /// the axes in between go, as the format means them.
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

  /// Leaves out what gives an input the axes of `[1, C, H, W]`; false where nothing does.
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

  /// Leaves out what drops the axes of ones of an output; false where its extents are not those that the format
  /// gives it without.
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
      // Declared without extents, it comes out with all five.
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

  /// The first version that has what the network says beside its layers.
  var oldestVersion: Int32 {
    let isFlexible: Bool = inputs.contains { feature in
      !feature.choices.isEmpty || feature.extents?.contains { $0.fixed == nil } ?? true
    }
    // 3 has sizes that are free and codes, 2 has half precision.
    if isFlexible { return 3 }
    let stored: [StoredValues] = graph.values.compactMap { $0.constant?.stored }
    if stored.contains(where: { $0.storedElement == nil }) { return 3 }
    return stored.contains { $0.storedElement == .float16 } ? 2 : 1
  }
}

extension Graph.Node {
  /// Whether the first versions have a layer that says the same of five dimensions as of the last four.
  fileprivate var isOfFirstVersions: Bool {
    guard regions.isEmpty else { return false }
    switch operation {
    case let convolution as ConvolutionOperator: return !convolution.isDeconvolution
    case let joining as ConcatOperator: return !joining.joinsSequence
    case let upsampling as UpsampleOperator:
      return upsampling.mode == .nearest && upsampling.hasWholeFactors
    case is ActivationOperator, is AddOperator, is BatchNormOperator, is CropOperator,
      is InnerProductOperator, is L2NormalizeOperator,
      is LocalResponseNormalizationOperator, is PaddingOperator, is PoolingOperator,
      is ScaleOperator, is SoftmaxOperator:
      return true
    default: return false
    }
  }
}
