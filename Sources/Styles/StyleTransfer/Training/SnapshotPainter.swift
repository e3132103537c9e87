import Engine
import Imaging
import Operators
import Training

/// Paints one photo repeatedly during a training. The network's parameters are inputs of the graph, so one plan serves
/// all snapshots. The painter releases the memory of each run when the run ends.
struct SnapshotPainter {
  private let size: PictureSize
  private let photo: [Float]
  private let types: [TensorType]
  private let network: Network

  /// Prepares to paint a photo.
  ///
  /// - Parameters:
  ///   - network: The network. Only its architecture is used.
  ///   - longestSide: The longest side of the painting in pixels. A larger photo is first scaled down.
  init(
    of picture: Picture, by network: StyleNetwork, longestSide: Int, options: ExecutionOptions
  ) throws {
    size = picture.size.scaled(toLongerSide: min(longestSide, picture.size.longerSide))
    photo = try picture.withoutAlpha.scaled(to: size).planes.map { $0 / 127.5 - 1 }
    var graph: Graph = try network.graph()
    try graph.inferTypes(from: [TensorType([1, 3, size.height, size.width])])
    let names = Set(network.parameters.map(\.layer))
    _ = try graph.liftParameters { names.contains($0) }
    types = try graph.inputs.map { TensorType(try graph.knownShape(of: $0)) }
    self.network = Network(graph, passes: GraphPasses.standard, options: options)
  }

  /// How many plans the painter has made.
  var planCount: Int { network.planCount }

  /// Paints the photo with a network of the same architecture.
  func paint(by trained: StyleNetwork) throws -> Picture {
    let session = try Session(try network.plan(for: types).plan)
    for (index, values) in ([photo] + trained.values).enumerated() {
      FloatTensor(types[index].shape, values).write(to: session.input(index))
    }
    try session.run()
    return try Picture(
      width: size.width, height: size.height, planes: FloatTensor(try session.output(0)).values)
  }
}
