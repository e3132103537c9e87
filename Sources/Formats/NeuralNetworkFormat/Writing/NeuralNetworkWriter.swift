import Graph
import ModelFormat
import Operators

extension Graph {
  /// The layers of a NeuralNetwork that computes what the graph computes, in its order.
  ///
  /// Inputs and outputs keep their names; other values get names of their own where two share one.
  /// Constants become the weights of the layers that read them, or layers that load them. Regions become nested
  /// networks, which read the names of the network around and write those of the values that they make for it.
  ///
  /// - Throws: `unsupported`, with the operator's name, where no layer says the same: variable weights,
  ///   operators that passes made.
  public func neuralNetworkLayers() throws -> [Spec.NeuralNetworkLayer] {
    let taken = UniqueNames(
      reserved: (inputs + outputs).map { self[$0].name }, separator: " ")
    var names: [Graph.ValueID: String] = [:]
    for value in inputs + outputs { names[value] = self[value].name }
    var writer = NeuralNetworkWriter(self, names: names, taken: taken)
    try writer.writeNodes()
    // A constant may be an output that no node reads.
    for output in outputs { try writer.load(output) }
    return writer.layers
  }
}

/// Writes a graph, or that of a region, layer by layer.
struct NeuralNetworkWriter {
  let graph: Graph
  let taken: UniqueNames
  /// The region's end, where the graph is one inside of a loop.
  let end: RegionEnd?
  /// The layers so far.
  private(set) var layers: [Spec.NeuralNetworkLayer] = []
  private var names: [Graph.ValueID: String]
  private var loaded: Set<Graph.ValueID> = []
  /// The values that something makes: the rest is missing on the way that is taken.
  private let made: Set<Graph.ValueID>

  /// A writer; a region's inputs without a name are missing when it runs.
  init(
    _ graph: Graph, names: [Graph.ValueID: String], taken: UniqueNames, end: RegionEnd? = nil
  ) {
    self.graph = graph
    self.names = names
    self.taken = taken
    self.end = end
    made = Set(graph.inputs.filter { names[$0] != nil } + graph.nodes.flatMap(\.outputs))
  }

  /// Writes the nodes in their order.
  mutating func writeNodes() throws {
    for node in graph.nodes {
      do {
        if let rule = node.control {
          try write(node, rule)
        } else {
          try write(node)
        }
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
  }

  mutating func append(_ layer: Spec.NeuralNetworkLayer) { layers.append(layer) }

  /// The layer of a node, after those that load constants that it reads as data.
  private mutating func write(_ node: Graph.Node) throws {
    guard let operation = node.operation as? any NeuralNetworkEncodable else {
      throw EngineError(
        .unsupported,
        "no layer of a NeuralNetwork computes this; write an ML Program (.mlpackage) instead.")
    }
    var encoder = LayerEncoder(
      constants: node.inputs.map { graph[$0].constant },
      inputTypes: node.inputs.map { graph[$0].type })
    try operation.encode(into: &encoder)
    var layer = encoder.layer
    layer.name = node.name
    layer.input = []
    for (position, value) in node.inputs.enumerated() where !encoder.embedded.contains(position) {
      layer.input.append(try read(value))
    }
    layer.output = node.outputs.map { name(of: $0) }
    layers.append(layer)
  }

  // MARK: - Values

  /// Whether a value may be there when the network runs.
  func exists(_ value: Graph.ValueID) -> Bool {
    made.contains(value) || graph[value].constant != nil
  }

  /// The name of a value that a layer reads, after it was loaded where it is a constant.
  mutating func read(_ value: Graph.ValueID) throws -> String {
    try load(value)
    return name(of: value)
  }

  /// Adds a layer that makes a constant which nothing has made yet.
  mutating func load(_ value: Graph.ValueID) throws {
    guard !made.contains(value), let constant = graph[value].constant,
      loaded.insert(value).inserted
    else { return }
    var encoder = LayerEncoder(constants: [constant], inputTypes: [constant.type])
    try ConstantOperator().encode(into: &encoder)
    encoder.layer.name = "load \(name(of: value))"
    encoder.layer.output = [name(of: value)]
    layers.append(encoder.layer)
  }

  /// The value's name in the file: its own, or with a number where another value has that.
  mutating func name(of value: Graph.ValueID) -> String {
    if let known = names[value] { return known }
    let name: String = taken.fresh(graph[value].name)
    names[value] = name
    return name
  }
}
