import Engine
import Imaging
import Operators
import Training

/// The negative mean activation of a channel as a function of the coefficients of a picture, with its gradient.
///
/// A point holds the images of all resolutions, coarsest first, each `[3, side, side]`.
final class ExcitationObjective: Objective {
  let layer: String
  let channel: Int
  let channelCount: Int
  private let network: FeatureNetwork
  private let side: Int
  private let sides: [Int]
  private let function: DifferentiableFunction
  private var noiseSource = NoiseSource(seed: 0)

  /// The side of the coarsest image is at most this number.
  private static let coarsestSide = 8
  /// The farthest move of the picture, as a share of its side.
  private static let jitter: Float = 1 / 16
  /// The factors by which the picture is scaled.
  private static let scales: ClosedRange<Float> = 0.9...1.1
  private static let smoothness: Double = 0.05
  /// The square root of the covariance of the colours of ImageNet's photos, divided by its largest column norm.
  ///
  /// **Source:** `color_correlation_svd_sqrt` of Lucid, the code of “Feature Visualization” (Apache-2.0).
  private static let colors: [Float] = {
    let root: [Float] = [0.26, 0.09, 0.02, 0.27, 0.00, -0.05, 0.27, -0.09, 0.03]
    let norms: [Float] = (0..<3).map { (column: Int) -> Float in
      var sum: Float = 0
      for row: Int in 0..<3 { sum += root[row * 3 + column] * root[row * 3 + column] }
      return sum.squareRoot()
    }
    return root.map { $0 / (norms.max() ?? 1) }
  }()

  init(
    _ network: FeatureNetwork, layer: String, channel: Int, side: Int, options: ExecutionOptions
  ) throws {
    self.network = network
    self.layer = layer
    self.channel = channel
    self.side = side
    var sides: [Int] = [side]
    while let last = sides.last, last > Self.coarsestSide { sides.append((last + 1) / 2) }
    self.sides = sides.reversed()

    var graph = Graph()
    let levels: [Graph.ValueID] = self.sides.map { graph.addInput("level \($0)", [1, 3, $0, $0]) }
    let picture: Graph.ValueID = try Self.addPicture(of: levels, side: side, to: &graph)
    let rows: Graph.ValueID = graph.addInput("rows", [1, 1, side, side])
    let columns: Graph.ValueID = graph.addInput("columns", [1, 1, side, side])
    let moved: Graph.ValueID = try graph.apply(
      BatchedMatMulOperator(),
      to: [
        graph.apply(BatchedMatMulOperator(), to: [rows, picture], name: "rows moved"), columns,
      ],
      name: "moved")
    let mean: Graph.ValueID
    (mean, channelCount) = try Self.addActivation(
      of: moved, network, layer: layer, channel: channel, to: &graph)
    let excitation: Graph.ValueID = try graph.apply(
      MultiplyOperator(inputCount: 1, alpha: -1), to: [mean], name: "excitation")
    let smooth: [Graph.ValueID] = try graph.addVariation(of: picture, factor: Self.smoothness)
    let loss: Graph.ValueID = try graph.addSum([excitation] + smooth, name: "loss")
    function = try DifferentiableFunction(
      graph, loss: loss, reporting: [excitation], withRespectTo: levels, options: options)
  }

  /// Starts the sequence of random numbers anew.
  func restart(seed: UInt64) { noiseSource = NoiseSource(seed: seed) }

  /// Returns a point of uniform random numbers with about the given standard deviation.
  func noise(_ deviation: Float) -> [Float] {
    let count: Int = sides.reduce(0) { $0 + 3 * $1 * $1 }
    return (0..<count).map { _ in (noiseSource.next() - 0.5) * deviation * Float(12).squareRoot() }
  }

  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let scale: Float =
      Self.scales.lowerBound
      + noiseSource.next() * (Self.scales.upperBound - Self.scales.lowerBound)
    let reach: Float = Self.jitter * Float(side)
    let moves: [Float] = (0..<2).map { _ in (noiseSource.next() * 2 - 1) * reach }
    let (report, gradients) = try function.evaluate(
      levels(of: point) + [
        Self.matrix(side: side, scale: scale, move: moves[0], isTransposed: false),
        Self.matrix(side: side, scale: scale, move: moves[1], isTransposed: true),
      ])
    gradient = gradients.flatMap { $0 }
    return Double(report[0])
  }

  /// Returns the picture of a point, neither scaled nor moved.
  func picture(of point: [Float], options: ExecutionOptions) throws -> Picture {
    var graph = Graph()
    let inputs: [Graph.ValueID] = sides.map { graph.addInput("level \($0)", [1, 3, $0, $0]) }
    graph.outputs = [try Self.addPicture(of: inputs, side: side, to: &graph)]
    let planes: [Float] = try graph.run(levels(of: point), options: options)[0].values
    return try Picture(width: side, height: side, planes: planes)
  }

  /// Returns the mean activation of the channel for a picture.
  func activation(of picture: Picture, options: ExecutionOptions) throws -> Double {
    var graph = Graph()
    let input: Graph.ValueID = graph.addInput("picture", [1, 3, picture.height, picture.width])
    graph.outputs = [
      try Self.addActivation(of: input, network, layer: layer, channel: channel, to: &graph).mean
    ]
    return Double(try graph.run([picture.planes], options: options)[0].values[0])
  }

  private func levels(of point: [Float]) -> [[Float]] {
    var start: Int = 0
    return sides.map { side in
      defer { start += 3 * side * side }
      return Array(point[start..<(start + 3 * side * side)])
    }
  }

  /// Adds the picture of the images of all resolutions: the sum of the images, mixed to colours, and its sigmoid.
  private static func addPicture(
    of levels: [Graph.ValueID], side: Int, to graph: inout Graph
  ) throws -> Graph.ValueID {
    let enlarged: [Graph.ValueID] = try levels.enumerated().map { index, level in
      guard index < levels.count - 1 else { return level }
      return try graph.apply(
        ResizeBilinearOperator(height: side, width: side, grid: .pixelCentres),
        to: [level], name: "enlarged \(index)")
    }
    let sum: Graph.ValueID = try graph.addSum(enlarged, name: "sum")
    let matrix = graph.addConstant(Constant([3, 3, 1, 1], colors), name: "colours/weights")
    let colored: Graph.ValueID = try graph.apply(
      ConvolutionOperator(
        outputChannels: 3, kernelChannels: 3, kernel: ConvolutionOperator.Pair(1, 1)),
      to: [sum, matrix], name: "colours")
    let valid: Graph.ValueID = try graph.apply(
      ActivationOperator(.sigmoid), to: [colored], name: "sigmoid")
    return try graph.apply(
      MultiplyOperator(inputCount: 1, alpha: 255), to: [valid], name: "picture")
  }

  /// Adds the mean of a channel over all positions. Returns it with the number of channels of the layer.
  private static func addActivation(
    of picture: Graph.ValueID, _ network: FeatureNetwork, layer: String, channel: Int,
    to graph: inout Graph
  ) throws -> (mean: Graph.ValueID, channelCount: Int) {
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: picture, layers: [layer], prefix: "network/")
    guard let value = features[layer] else {
      preconditionFailure("the network returns every layer that is asked for")
    }
    let shape: Shape = try graph.knownShape(of: value)
    guard shape.rank >= 2 else {
      throw StyleTransferError(
        .input, "Layer '\(layer)' gives \(shape), expected channels, such as 1 × 64 × 56 × 56.")
    }
    guard (0..<shape[1]).contains(channel) else {
      throw StyleTransferError(
        .input,
        "Layer '\(layer)' has no channel \(channel), expected a number from 0 to \(shape[1] - 1).")
    }
    let one: Graph.ValueID = try graph.apply(
      SliceStaticOperator(
        slices: shape.dimensions.indices.map {
          $0 == 1 ? AxisSlice(begin: channel, end: channel + 1) : AxisSlice()
        }),
      to: [value], name: "channel")
    let mean: Graph.ValueID = try graph.apply(
      ReduceAxesOperator(.mean, axes: [], keepsAxes: false), to: [one], name: "mean")
    return (mean, shape[1])
  }

  /// Returns the matrix that scales an axis around its centre and then moves it, with linear interpolation. Positions
  /// outside of the axis get the value at its end.
  private static func matrix(
    side: Int, scale: Float, move: Float, isTransposed: Bool
  ) -> [Float] {
    var matrix = [Float](repeating: 0, count: side * side)
    let centre = Float(side - 1) / 2
    for index in 0..<side {
      let source: Float = min(
        Float(side - 1), max(0, (Float(index) - centre) / scale + centre + move))
      let lower = Int(source)
      let upper: Int = min(side - 1, lower + 1)
      let share: Float = source - Float(lower)
      for (position, weight) in [(lower, 1 - share), (upper, share)] {
        matrix[isTransposed ? position * side + index : index * side + position] += weight
      }
    }
    return matrix
  }
}
