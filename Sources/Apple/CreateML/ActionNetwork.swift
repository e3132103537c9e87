import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat
import Operators
import Tensors
import Training

/// A network that classifies a window of poses: three convolutions over time, a mean over time, and a linear layer.
///
/// The convolutions see all coordinates of 9 neighbouring frames. Before the first one, the network moves the points' mean
/// over the window to 0 and divides by their standard deviation, so that the position and the size of a person in the
/// picture do not matter. Points count by their confidence; a point without confidence is at the mean.
///
/// **Source:** Kim and Reiter, “Interpretable 3D Human Action Analysis with Temporal Convolutional Networks”,
/// arXiv:1704.04516.
struct ActionNetwork {
  /// A layer with weights.
  private struct Layer {
    let name: String
    let weights: Shape
  }

  /// The numbers of frames and of points of a window.
  let frames, points: Int
  let labels: [String]
  private static let channels = 64
  private static let kernel = 9
  /// Horizontal, vertical, and the confidence.
  private static let coordinates = 3
  /// Horizontal and vertical.
  private static let axes = 2
  private static let batchSize = 16
  private static let learningRate: Float = 0.002

  /// The values of the weights and biases, by layer.
  private var values: [String: (weights: [Float], bias: [Float])] = [:]

  /// Creates a network with random weights.
  init(frames: Int, points: Int, labels: [String], seed: Int) {
    (self.frames, self.points, self.labels) = (frames, points, labels)
    var generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
    for layer in layers {
      // He et al., arXiv:1502.01852, with an even distribution.
      let inputs: Int = layer.weights.dimensions.dropFirst().reduce(1, *)
      let limit: Float = (6 / Float(inputs)).squareRoot()
      values[layer.name] = (
        (0..<layer.weights.count).map { _ in Float.random(in: -limit...limit, using: &generator) },
        [Float](repeating: 0, count: layer.weights.dimensions[0])
      )
    }
  }

  private var layers: [Layer] {
    let first: Int = Self.axes * points
    return [
      Layer(name: "conv1", weights: [Self.channels, first, 1, Self.kernel]),
      Layer(name: "conv2", weights: [Self.channels, Self.channels, 1, Self.kernel]),
      Layer(name: "conv3", weights: [Self.channels, Self.channels, 1, Self.kernel]),
      Layer(name: "scores", weights: [labels.count, Self.channels]),
    ]
  }

  /// Trains with mini-batches in random order.
  ///
  /// - Parameter windows: The poses of each window, `[frames, 3, points]` in row-major order, and its class.
  mutating func train(
    _ windows: [(poses: [Float], label: Int)], iterations: Int, seed: Int
  ) throws {
    let batch: Int = min(Self.batchSize, windows.count)
    let builder = GraphBuilder()
    let scores: Graph.ValueID = try addLayers(to: builder, batch: batch)
    builder.addOutput(scores, name: "scores")
    var network: Graph = builder.model().graph
    let lifted: [TrainingParameter] = try network.liftParameters { _ in true }
    var graph = Graph()
    let poses: Graph.ValueID = graph.addInput(
      "poses", [batch * frames, Self.coordinates, points])
    let target: Graph.ValueID = graph.addInput("target", [batch, labels.count, 1, 1])
    let parameters: [TrainingParameter] = lifted.map {
      TrainingParameter(
        layer: $0.layer, role: $0.role, shape: $0.shape, initial: $0.initial,
        value: graph.addInput("\($0.layer) \($0.role.rawValue)", $0.shape))
    }
    let outputs = try graph.append(network, inputs: [poses] + parameters.map(\.value))
    let loss: Graph.ValueID = try graph.apply(
      CrossEntropyLossOperator(axis: 1), to: [outputs[0], target], name: "loss")
    let trainer = try Trainer(
      graph, loss: loss, parameters: parameters,
      optimizer: .adam(beta1: 0.9, beta2: 0.999, epsilon: 1e-8))
    var generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
    for _ in 0..<iterations {
      var order: [Int] = Array(windows.indices).shuffled(using: &generator)
      // The last mini-batch is filled with windows from the beginning.
      order += order.prefix((batch - order.count % batch) % batch)
      for start in stride(from: 0, to: order.count, by: batch) {
        let chosen: [Int] = Array(order[start..<(start + batch)])
        var wanted = [Float](repeating: 0, count: batch * labels.count)
        for (row, index) in chosen.enumerated() {
          wanted[row * labels.count + windows[index].label] = 1 / Float(batch)
        }
        _ = try trainer.step(
          [chosen.flatMap { windows[$0].poses }, wanted], learningRate: Self.learningRate)
      }
    }
    for (parameter, trained) in zip(parameters, trainer.state.parameters) {
      switch parameter.role {
      case .weights: values[parameter.layer]?.weights = trained
      default: values[parameter.layer]?.bias = trained
      }
    }
  }

  /// Returns the network as a Core ML classifier. Its names are those of Create ML's action classifiers.
  func specification() throws -> Spec.Model {
    let builder = GraphBuilder()
    var value: Graph.ValueID = try addLayers(to: builder, batch: 1)
    value = try builder.add(SoftmaxOperator(), value, name: "probabilities")
    value = try builder.add(ReshapeStaticOperator(targetShape: [-1]), value, name: "classes")
    builder.addOutput(
      value, name: "labelProbabilities", summary: "The probability of each action.")
    var network: GraphModel = builder.model()
    var classes = GraphModel.Classes(labels, output: 0, labelName: "label")
    classes.labelSummary = "The most probable action."
    network.classes = classes
    return try Spec.Model(neuralNetwork: network, edition: .oldest)
  }

  /// Adds the input and the layers. Returns the scores of the classes, `[batch, classes, 1, 1]`.
  private func addLayers(to builder: GraphBuilder, batch: Int) throws -> Graph.ValueID {
    var value: Graph.ValueID = builder.addInput(
      "poses", extents: [Extent(batch * frames), Extent(Self.coordinates), Extent(points)],
      summary: "\(frames) poses: the horizontal and vertical coordinates and the confidence of"
        + " \(points) points.")
    let shape: [Int] = [batch, frames, Self.coordinates, points]
    value = try builder.add(ReshapeStaticOperator(targetShape: shape), value, name: "windows")
    value = try addNormalization(of: value, to: builder)
    value = try builder.add(
      ReshapeStaticOperator(targetShape: [batch, frames, Self.axes * points]), value,
      name: "coordinates")
    value = try builder.add(TransposeOperator(axes: [0, 2, 1]), value, name: "channels")
    value = try builder.add(ExpandDimsOperator(axes: [2]), value, name: "line")
    for (index, layer) in layers.dropLast().enumerated() {
      let convolution = ConvolutionOperator(
        outputChannels: Self.channels, kernelChannels: layer.weights.dimensions[1],
        kernel: .init(1, Self.kernel), stride: .init(1, index == 0 ? 1 : 2),
        padding: .valid(top: 0, left: Self.kernel / 2, bottom: 0, right: Self.kernel / 2),
        hasBias: true)
      let (weights, bias) = addParameters(of: layer, to: builder)
      value = try builder.add(convolution, value, weights, bias, name: layer.name)
      value = try builder.add(ActivationOperator(.reLU), value, name: "\(layer.name)/relu")
    }
    value = try builder.add(PoolingOperator(.average, isGlobal: true), value, name: "time")
    let (weights, bias) = addParameters(of: layers[layers.count - 1], to: builder)
    return try builder.add(InnerProductOperator(), value, weights, bias, name: "scores")
  }

  /// Subtracts the mean of `[batch, frames, 3, points]`, divides by the standard deviation, and multiplies by the
  /// confidence. Returns `[batch, frames, 2, points]`.
  private func addNormalization(
    of windows: Graph.ValueID, to builder: GraphBuilder
  ) throws -> Graph.ValueID {
    func part(_ range: Range<Int>, _ name: String) throws -> Graph.ValueID {
      let all = AxisSlice()
      return try builder.add(
        SliceStaticOperator(
          slices: [all, all, AxisSlice(begin: range.lowerBound, end: range.upperBound), all]),
        windows, name: name)
    }
    func sum(_ value: Graph.ValueID, _ axes: [Int], _ name: String) throws -> Graph.ValueID {
      try builder.add(ReduceAxesOperator(.sum, axes: axes, keepsAxes: true), value, name: name)
    }
    func combined(
      _ function: BinaryFunction, _ left: Graph.ValueID, _ right: Graph.ValueID, _ name: String
    ) throws -> Graph.ValueID {
      try builder.add(BinaryFunctionOperator(function), left, right, name: name)
    }
    let positions: Graph.ValueID = try part(0..<Self.axes, "positions")
    let confidences: Graph.ValueID = try builder.add(
      ActivationOperator(.reLU), part(Self.axes..<Self.coordinates, "confidences"),
      name: "confidences/positive")
    let share: Graph.ValueID = try builder.add(
      UnaryOperator(.inverse(epsilon: 1e-6)), sum(confidences, [1, 3], "total"), name: "share")
    func mean(_ value: Graph.ValueID, _ axes: [Int], _ name: String) throws -> Graph.ValueID {
      try combined(.multiply, sum(value, axes, "\(name)/sum"), share, name)
    }
    let weighted: Graph.ValueID = try combined(.multiply, positions, confidences, "weighted")
    let moved: Graph.ValueID = try combined(
      .subtract, positions, mean(weighted, [1, 3], "mean"), "moved")
    let centred: Graph.ValueID = try combined(.multiply, moved, confidences, "centred")
    let squares: Graph.ValueID = try combined(.multiply, centred, moved, "squares")
    let scale: Graph.ValueID = try builder.add(
      UnaryOperator(.reciprocalSquareRoot(epsilon: 1e-6)), mean(squares, [1, 2, 3], "variance"),
      name: "scale")
    return try combined(.multiply, centred, scale, "normalised")
  }

  private func addParameters(
    of layer: Layer, to builder: GraphBuilder
  ) -> (Graph.ValueID, Graph.ValueID) {
    guard let (weights, bias) = values[layer.name] else {
      preconditionFailure("the initialiser makes the values of every layer")
    }
    return (
      builder.addConstant(Constant(layer.weights, weights), name: "\(layer.name)/weights"),
      builder.addConstant(Constant([bias.count], bias), name: "\(layer.name)/bias")
    )
  }
}
