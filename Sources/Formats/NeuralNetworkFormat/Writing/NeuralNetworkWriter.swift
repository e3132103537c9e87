import Graph
import ModelFormat
import Operators

extension Graph {
  /// The layers of a NeuralNetwork that computes what the graph computes, in its order.
  ///
  /// Inputs and outputs keep their names; other values get names of their own where two share one.
  /// Constants become the weights of the layers that read them, or layers that load them.
  ///
  /// - Throws: `unsupported`, with the operator's name, where no layer says the same: regions, variable
  ///   weights, operators that passes made.
  public func neuralNetworkLayers() throws -> [Spec.NeuralNetworkLayer] {
    var writer = NeuralNetworkWriter(self)
    return try writer.layers()
  }
}

/// Writes a graph layer by layer.
private struct NeuralNetworkWriter {
  private let graph: Graph
  private var names: [Graph.ValueID: String] = [:]
  private var taken: Set<String> = []
  private var loaded: Set<Graph.ValueID> = []

  init(_ graph: Graph) {
    self.graph = graph
    for value in graph.inputs + graph.outputs where names[value] == nil {
      names[value] = graph[value].name
      taken.insert(graph[value].name)
    }
  }

  mutating func layers() throws -> [Spec.NeuralNetworkLayer] {
    var result: [Spec.NeuralNetworkLayer] = []
    for node in graph.nodes {
      do {
        result += try layers(for: node)
      } catch let error as EngineError {
        throw error.naming(node.operation.name, node.name)
      }
    }
    // A constant may be an output that no node reads.
    let writers: [Int?] = graph.writers()
    for output in graph.outputs where writers[output.index] == nil {
      if let constant = graph[output].constant, loaded.insert(output).inserted {
        result.append(try load(constant, of: output))
      }
    }
    return result
  }

  /// The layer of a node, after those that load constants that it reads as data.
  private mutating func layers(for node: Graph.Node) throws -> [Spec.NeuralNetworkLayer] {
    guard node.regions.isEmpty, let operation = node.operation as? any NeuralNetworkEncodable else {
      throw EngineError(
        .unsupported,
        "no layer of a NeuralNetwork computes this; write the graph before its passes.")
    }
    var encoder = LayerEncoder(
      constants: node.inputs.map { graph[$0].constant },
      inputTypes: node.inputs.map { graph[$0].type })
    try operation.encode(into: &encoder)
    var result: [Spec.NeuralNetworkLayer] = []
    var layer = encoder.layer
    layer.name = node.name
    layer.input = []
    for (position, value) in node.inputs.enumerated() where !encoder.embedded.contains(position) {
      if let constant = graph[value].constant, loaded.insert(value).inserted {
        result.append(try load(constant, of: value))
      }
      layer.input.append(name(of: value))
    }
    layer.output = node.outputs.map { name(of: $0) }
    return result + [layer]
  }

  private mutating func load(_ constant: Constant, of value: Graph.ValueID) throws
    -> Spec.NeuralNetworkLayer
  {
    var encoder = LayerEncoder(constants: [constant], inputTypes: [constant.type])
    try ConstantOperator().encode(into: &encoder)
    encoder.layer.name = "load \(name(of: value))"
    encoder.layer.output = [name(of: value)]
    return encoder.layer
  }

  /// The value's name in the file: its own, or with a number where another value has that.
  private mutating func name(of value: Graph.ValueID) -> String {
    if let known = names[value] { return known }
    let own: String = graph[value].name.isEmpty ? "value" : graph[value].name
    var name = own
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(own) \(number)"
      number += 1
    }
    names[value] = name
    return name
  }
}
