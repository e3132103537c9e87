import Engine
import Imaging
import Operators
import Training

/// Paints one photo again and again while a network learns. The network's numbers are inputs of the plan,
/// so that it is made once; the memory of a run is given back after each.
struct SnapshotPainter {
  private let size: PictureSize
  private let photo: [Float]
  private let types: [TensorType]
  private let network: Network

  /// A painter that has painted nothing yet.
  ///
  /// - Parameters:
  ///   - network: its architecture counts, and not its numbers.
  ///   - longestSide: larger photos are made smaller first.
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

  /// How many plans were made.
  var planCount: Int { network.planCount }

  /// The photo, painted by a network of the same architecture.
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
