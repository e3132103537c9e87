import Engine
import Foundation

/// A network that gives what its layers compute beside its outputs. Not in Apple's framework.
///
/// ```swift
/// let inspection = try LayerInspection(model, layers: ["conv1_1"])
/// let features = try inspection.prediction(from: input)
/// let activation = features.featureValue(for: "conv1_1")?.multiArrayValue
/// ```
///
/// Layers are computed as they are written, each by itself as far as they are asked for, so a
/// prediction takes longer and more memory than the model's own. What is asked for in float32 is exact
/// to float32: load the model with `.cpuOnly`.
public struct LayerInspection: Sendable {
  /// A layer that can be asked for.
  public struct Layer: Sendable, Hashable {
    /// The name of the feature that holds what the layer gives: the layer's own, or that of its
    /// output where it gives several.
    public let name: String
    /// What it computes: `Convolution`.
    public let kind: String
    /// The name of its output in the model.
    public let output: String
  }

  /// The layers that are given, in the order in which they run.
  public let layers: [Layer]
  private let runner: NetworkRunner

  /// Asks for layers of a model by their names, or by the names of their outputs; nil for all.
  ///
  /// - Throws: ``MLModelError`` for names that the model does not have, and for models that are no
  ///   single neural network.
  public init(_ model: MLModel, layers names: [String]? = nil) throws {
    guard let runner = try translatingErrors({ try model.loaded.runner.networkRunner() }) else {
      throw MLModelError(
        .generic,
        "Only the layers of neural networks and ML Programs can be looked at, one model at a time;"
          + " this one is of another type. Write a pipeline's model into a file of its own.")
    }
    let known: [(layer: Layer, value: Graph.ValueID)] = Self.layers(of: runner.network.graph)
    let chosen: [(layer: Layer, value: Graph.ValueID)]
    if let names {
      var places: Set<Int> = []
      for name in names {
        let found: [Int] = known.indices.filter {
          known[$0].layer.name == name || known[$0].layer.output == name
        }
        guard !found.isEmpty else { throw Self.unknown(name, known.map(\.layer)) }
        places.formUnion(found)
      }
      chosen = places.sorted().map { known[$0] }
    } else {
      chosen = known
    }
    layers = chosen.map(\.layer)
    self.runner = runner.revealing(chosen.map { ($0.layer.name, $0.value) })
  }

  /// The model's outputs and those of the layers, these as float32 arrays under their names.
  ///
  /// A model's output that a layer of the same name gives is the layer's array.
  ///
  /// - Throws: ``MLModelError``, as a prediction of the model does; models that keep state are refused.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) throws -> any MLFeatureProvider {
    try translatingErrors {
      try MLDictionaryFeatureProvider(
        values: runner.prediction(from: input, call: PredictionCall(options)))
    }
  }

  /// What the nodes write that do not merely hold constants. Several nodes may stand for one layer;
  /// then the last of them gives what the layer does, and the others are left out.
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
  /// The same network with values among its outputs, as float32 arrays under these names.
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
