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
  /// - Parameter picture: `[1, 3, height, width]`, 0…255. Both sides are multiples of ``alignment``.
  /// - Returns: For each layer `[1, channels, height / 4, width / 4]`, not yet divided by the number of channels.
  func append(to graph: inout Graph, picture: Graph.ValueID) throws -> [Graph.ValueID] {
    let shape: Shape = try graph.knownShape(of: picture)
    let target: (height: Int, width: Int) = (shape[2] / Self.stride, shape[3] / Self.stride)
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: picture, layers: layers)
    return try layers.map { layer in
      guard let feature = features[layer] else {
        preconditionFailure("the network returns the features of all requested layers")
      }
      let size: Shape = try graph.knownShape(of: feature)
      let fitted: Graph.ValueID
      if size[2] > target.height {
        let (rows, columns) = (size[2] / target.height, size[3] / target.width)
        guard rows * target.height == size[2], columns * target.width == size[3] else {
          throw misfit(layer, size)
        }
        fitted = try graph.apply(
          PoolingOperator(
            .average, kernelHeight: rows, kernelWidth: columns, strideHeight: rows,
            strideWidth: columns), to: [feature], name: "\(layer) averaged")
      } else if size[2] < target.height {
        fitted = try graph.apply(
          ResizeBilinearOperator(height: target.height, width: target.width, grid: .pixelCentres),
          to: [feature], name: "\(layer) interpolated")
      } else {
        guard size[3] == target.width else { throw misfit(layer, size) }
        fitted = feature
      }
      return fitted
    }
  }

  /// Computes the columns of a picture `[1, 3, height, width]`, 0…255.
  func columns(of picture: FloatTensor, options: ExecutionOptions) throws -> FeatureColumns {
    var graph = Graph()
    let input: Graph.ValueID = graph.addInput("picture", picture.shape)
    graph.outputs = try append(to: &graph, picture: input).map { fitted in
      let channels: Int = try graph.knownShape(of: fitted)[1]
      return try graph.apply(
        MultiplyOperator(inputCount: 1, alpha: Float(1 / Double(channels))), to: [fitted],
        name: "\(graph[fitted].name) weighted")
    }
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
