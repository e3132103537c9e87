import Engine
import Operators
import Training

/// The distance of a picture's columns of features from their targets, as a function of the bands of the picture:
///
///     loss = 1 − mean over the positions of cos(column of the picture, target)
///
/// A point holds the values of all bands of a ``LaplacianPyramid``, fine to coarse.
///
/// **Source:** Kolkin et al., “Neural Neighbor Style Transfer”, arXiv:2203.13215.
final class NeighborObjective: Objective {
  private let pyramid: LaplacianPyramid
  private let function: DifferentiableFunction

  /// The number that is added to squared lengths of columns, so that a column of zeros has a gradient.
  private static let epsilon: Float = 1e-8

  /// Plans the computation.
  ///
  /// - Parameter targets: A column for each position of the picture.
  init(
    _ pyramid: LaplacianPyramid, targets: consuming FeatureColumns, hypercolumns: Hypercolumns,
    options: ExecutionOptions
  ) throws {
    self.pyramid = pyramid
    var graph = Graph()
    let (bands, picture) = try pyramid.append(to: &graph)
    // The columns are large, so they are normalised in place, and freed when they are split by layer.
    targets.normalize()
    let directions: [[Float]] = targets.takingLayers()
    var products: [Graph.ValueID] = []
    var squares: [Graph.ValueID] = []
    // The terms of a layer are added before the next layer. So only one layer's gradient has its full size at a time.
    try hypercolumns.append(to: &graph, picture: picture) { graph, index, feature in
      let shape: Shape = try graph.knownShape(of: feature)
      let target: Graph.ValueID = graph.addConstant(
        Constant(shape, directions[index]), name: "target \(index)")
      let product: Graph.ValueID = try graph.apply(
        MultiplyOperator(inputCount: 2), to: [feature, target], name: "product \(index)")
      let sum: Graph.ValueID = try graph.apply(
        ReduceAxesOperator(.sum, axes: [1], keepsAxes: true), to: [product], name: "sum \(index)")
      let square: Graph.ValueID = try graph.apply(
        ReduceAxesOperator(.sumOfSquares, axes: [1], keepsAxes: true), to: [feature],
        name: "square \(index)")
      // Dividing the sums, not the features, by the number of channels saves a copy of all features.
      let share: Double = 1 / Double(shape[1])
      products.append(
        try graph.apply(
          MultiplyOperator(inputCount: 1, alpha: Float(share)), to: [sum], name: "dot \(index)"))
      squares.append(
        try graph.apply(
          MultiplyOperator(inputCount: 1, alpha: Float(share * share)), to: [square],
          name: "squares \(index)"))
    }
    let dot: Graph.ValueID = try graph.addSum(products, name: "dot")
    let square: Graph.ValueID = try graph.addSum(squares, name: "squares")
    let inverse: Graph.ValueID = try graph.apply(
      UnaryOperator(.reciprocalSquareRoot(epsilon: Self.epsilon)), to: [square],
      name: "inverse length")
    let cosine: Graph.ValueID = try graph.apply(
      MultiplyOperator(inputCount: 2), to: [dot, inverse], name: "cosine")
    let loss: Graph.ValueID = try graph.addOneMinusMean(cosine, name: "loss")
    function = try DifferentiableFunction(
      graph, loss: loss, withRespectTo: bands, options: options)
  }

  /// The working memory of the computation, in bytes. It is proportional to the area of the picture.
  var arenaByteCount: Int { function.arenaByteCount }
  /// The memory of the network's weights and of the targets, in bytes.
  var constantByteCount: Int { function.plan.constantByteCount }

  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let (report, gradients) = try function.evaluate(pyramid.split(point))
    gradient = gradients.flatMap { $0 }
    return Double(report[0])
  }
}
