import Engine
import Operators

/// Concatenates the features of several layers of a network: one column of features for each position of a picture.
///
/// Each layer's features are divided by the number of the layer's channels, and scaled to a quarter of the picture's
/// sides: finer layers by averaging, coarser ones by bilinear interpolation.
///
/// **Source:** Hariharan et al., “Hypercolumns for Object Segmentation and Fine-grained Localization”,
/// arXiv:1411.5752; the layers, their weights and the quarter: Kolkin et al., arXiv:2203.13215.
struct Hypercolumns {
  /// The network that computes the features.
  let network: FeatureNetwork
  /// The names of the layers.
  let layers: [String]

  /// The side of the square of pixels that one column describes.
  static let stride = 4
  /// The sides of pictures must be multiples of this number, so that all layers fit exactly.
  static let alignment = 8

  /// VGG-16's layers from relu1_1 to relu4_3.
  static let defaultLayers: [String] = [2, 2, 3, 3].enumerated().flatMap { block, count in
    (1...count).map { "relu\(block + 1)_\($0)" }
  }

  /// Adds the columns of a picture to a graph.
  ///
  /// - Parameters:
  ///   - picture: `[1, 3, height, width]`, 0…255. Both sides are multiples of ``alignment``.
  ///   - visit: Called with the index of each layer and its part of the columns, `[1, channels, height / 4, width / 4]`,
  ///     not yet divided by the number of channels. The operators that it adds run before the layers that follow.
  func append(
    to graph: inout Graph, picture: Graph.ValueID,
    visit: (inout Graph, _ layer: Int, _ columns: Graph.ValueID) throws -> Void
  ) throws {
    let shape: Shape = try graph.knownShape(of: picture)
    let target: (height: Int, width: Int) = (shape[2] / Self.stride, shape[3] / Self.stride)
    _ = try network.append(to: &graph, picture: picture, layers: layers) { graph, layer, feature in
      let fitted: Graph.ValueID = try fitted(feature, to: target, layer, in: &graph)
      for index in layers.indices where layers[index] == layer { try visit(&graph, index, fitted) }
    }
  }

  /// Brings the features of a layer to the extents of the columns.
  private func fitted(
    _ feature: Graph.ValueID, to target: (height: Int, width: Int), _ layer: String,
    in graph: inout Graph
  ) throws -> Graph.ValueID {
    let size: Shape = try graph.knownShape(of: feature)
    if size[2] > target.height {
      let (rows, columns) = (size[2] / target.height, size[3] / target.width)
      guard rows * target.height == size[2], columns * target.width == size[3] else {
        throw misfit(layer, size)
      }
      return try graph.apply(
        PoolingOperator(
          .average, kernelHeight: rows, kernelWidth: columns, strideHeight: rows,
          strideWidth: columns), to: [feature], name: "\(layer) averaged")
    }
    if size[2] < target.height {
      return try graph.apply(
        ResizeBilinearOperator(height: target.height, width: target.width, grid: .pixelCentres),
        to: [feature], name: "\(layer) interpolated")
    }
    guard size[3] == target.width else { throw misfit(layer, size) }
    return feature
  }

  /// Computes the columns of a picture `[1, 3, height, width]`, 0…255.
  func columns(of picture: FloatTensor, options: ExecutionOptions) throws -> FeatureColumns {
    var graph = Graph()
    let input: Graph.ValueID = graph.addInput("picture", picture.shape)
    var parts: [Int: Graph.ValueID] = [:]
    try append(to: &graph, picture: input) { graph, index, fitted in
      let channels: Int = try graph.knownShape(of: fitted)[1]
      parts[index] = try graph.apply(
        MultiplyOperator(inputCount: 1, alpha: Float(1 / Double(channels))), to: [fitted],
        name: "\(graph[fitted].name) weighted")
    }
    graph.outputs = layers.indices.compactMap { parts[$0] }
    let count: Int = (picture.shape[2] / Self.stride) * (picture.shape[3] / Self.stride)
    var channels: [Int] = []
    var values: [Float] = []
    values.reserveCapacity(
      try graph.outputs.reduce(0) { $0 + (try graph.knownShape(of: $1).count) })
    try graph.run([picture.values], options: options) { part in
      channels.append(part.shape[1])
      values += part.values
    }
    return FeatureColumns(channels: channels, count: count, values: values)
  }

  private func misfit(_ layer: String, _ shape: Shape) -> StyleTransferError {
    StyleTransferError(
      .network,
      "Layer '\(layer)' has \(shape[3]) × \(shape[2]) positions, expected a multiple or a part of a"
        + " quarter of the picture. Name other layers or another network.")
  }
}
