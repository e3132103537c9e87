import Engine
import Foundation

/// A network that returns the outputs of some of its layers besides its own outputs. Not in Apple's framework.
///
/// ```swift
/// let inspection = try LayerInspection(model, layers: ["conv1_1"])
/// let features = try inspection.prediction(from: input)
/// let activation = features.featureValue(for: "conv1_1")?.multiArrayValue
/// ```
///
/// The engine does not fuse the requested layers with other layers. A prediction therefore takes more time and memory
/// than a prediction of the model. For float32 precision, load the model with `.cpuOnly`.
public struct LayerInspection: Sendable {
  /// A layer that can be inspected.
  public struct Layer: Sendable, Hashable {
    /// The name under which a prediction returns the layer's output. This is the output's name if the layer has several
    /// outputs or no name, or if an earlier layer has the same name. Otherwise, this is the layer's name.
    public let name: String
    /// The type of the layer, such as `Convolution`.
    public let kind: String
    /// The name of the output in the model.
    public let output: String
  }

  /// The inspected layers, in the order of their computation.
  public let layers: [Layer]
  private let runner: NetworkRunner

  /// Inspects layers of a model.
  ///
  /// - Parameter names: The names of the layers to inspect, or of outputs of these layers; nil for all layers.
  /// - Throws: ``MLModelError`` if the model has no layer or output with one of the names, and if the model is not a
  ///   single network.
  public init(_ model: MLModel, layers names: [String]? = nil) throws {
    guard let runner = try translatingErrors({ try model.loaded.runner.networkRunner() }) else {
      throw MLModelError(
        .generic,
        "Only layers of neural networks and ML Programs can be inspected, one model at a time;"
          + " this model has another type. Write a model of a pipeline to its own file.")
    }
    let known: [(layer: Layer, value: Graph.ValueID)] = Self.layers(of: runner.network.graph)
    let chosen: [(layer: Layer, value: Graph.ValueID)]
    if let names {
      var selected: Set<Int> = []
      for name in names {
        let found: [Int] = known.indices.filter {
          known[$0].layer.name == name || known[$0].layer.output == name
        }
        guard !found.isEmpty else { throw Self.unknown(name, known.map(\.layer)) }
        selected.formUnion(found)
      }
      chosen = selected.sorted().map { known[$0] }
    } else {
      chosen = known
    }
    layers = chosen.map(\.layer)
    self.runner = runner.revealing(chosen.map { ($0.layer.name, $0.value) })
  }

  /// Predicts, and returns the outputs of the model and of the inspected layers. The outputs of layers are float32
  /// arrays, and their names are those in ``layers``.
  ///
  /// If a layer has the same name as an output of the model, the result contains the layer's array.
  ///
  /// - Throws: ``MLModelError`` in the cases in which a prediction of the model throws, and for models with state.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) throws -> any MLFeatureProvider {
    try translatingErrors {
      try MLDictionaryFeatureProvider(
        values: runner.prediction(from: input, call: PredictionCall(options)))
    }
  }

  /// Returns the layers of a graph, except for constants. If several nodes compute one layer, the result contains only
  /// the last of these nodes, because only this node has the layer's output.
  private static func layers(of graph: Graph) -> [(layer: Layer, value: Graph.ValueID)] {
    var last: [String: Int] = [:]
    for (position, node) in graph.nodes.enumerated() { last[node.name] = position }
    var taken: Set<String> = []
    var found: [(layer: Layer, value: Graph.ValueID)] = []
    for (position, node) in graph.nodes.enumerated()
    where last[node.name] == position && !node.inputs.isEmpty {
      for output in node.outputs {
        let written: String = graph[output].name
        var name: String = node.outputs.count == 1 && !node.name.isEmpty ? node.name : written
        if !taken.insert(name).inserted {
          name = written
          guard taken.insert(name).inserted else { continue }
        }
        found.append((Layer(name: name, kind: node.operation.name, output: written), output))
      }
    }
    return found
  }

  private static func unknown(_ name: String, _ layers: [Layer]) -> MLModelError {
    let shown: [String] = layers.prefix(8).map { "'\($0.name)'" }
    return MLModelError(
      .parameters,
      "The model has no layer '\(name)'; it has \(shown.joined(separator: ", "))"
        + (layers.count > 8 ? " and \(layers.count - 8) others" : "") + ".")
  }
}

extension NetworkRunner {
  /// Returns the same network with the given values as additional outputs. The additional outputs are float32 arrays
  /// with the given names.
  fileprivate func revealing(_ values: [(name: String, value: Graph.ValueID)]) -> NetworkRunner {
    var graph: Graph = network.graph
    var revealed: [NetworkOutput] = []
    for (name, value) in values {
      let position: Int
      if let known = graph.outputs.firstIndex(of: value) {
        position = known
      } else {
        position = graph.outputs.count
        graph.outputs.append(value)
      }
      revealed.append(NetworkOutput(revealing: name, position: position))
    }
    return NetworkRunner(
      Network(graph, passes: GraphPasses.standard, options: network.options), inputs: inputs,
      outputs: outputs + revealed, classification: classification, states: states)
  }
}
