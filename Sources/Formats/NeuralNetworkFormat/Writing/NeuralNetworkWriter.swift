import Graph
import ModelFormat
import Operators

extension Graph {
  /// Returns the layers of a NeuralNetwork that computes the graph, in the graph's order.
  ///
  /// Inputs and outputs keep their names. If other values have equal names, they get new names. A constant becomes
  /// weights of the layers that read it, or an additional layer loads it. Regions become nested networks. They read the
  /// names of the outer network and write the names of their results.
  ///
  /// - Throws: `unsupported` if no layer expresses a node. Examples are a node whose weights are not constant, and an
  ///   operator that only optimisation passes make. The error names the operator.
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

/// Writes a graph or a region's graph layer by layer.
struct NeuralNetworkWriter {
  /// The graph to write.
  let graph: Graph
  /// The unique names of the file. The writers of all nested networks share this object.
  let taken: UniqueNames
  /// If the graph is a region inside of a loop: the names to which the region copies its results.
  let end: RegionEnd?
  /// The layers written so far.
  private(set) var layers: [Spec.NeuralNetworkLayer] = []
  private var names: [Graph.ValueID: String]
  private var loaded: Set<Graph.ValueID> = []
  /// The values other than constants that exist at run time: the outputs of nodes, and the inputs that have a name.
  private let made: Set<Graph.ValueID>

  /// Makes a writer. Inputs of a region that have no name in `names` are missing at run time.
  init(
    _ graph: Graph, names: [Graph.ValueID: String], taken: UniqueNames, end: RegionEnd? = nil
  ) {
    self.graph = graph
    self.names = names
    self.taken = taken
    self.end = end
    made = Set(graph.inputs.filter { names[$0] != nil } + graph.nodes.flatMap(\.outputs))
  }

  /// Writes the nodes in the graph's order.
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

  /// Writes the layer of a node. Before this layer, writes layers that load the constants that the node does not read
  /// as weights.
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

  /// Returns whether a value may exist at run time.
  func exists(_ value: Graph.ValueID) -> Bool {
    made.contains(value) || graph[value].constant != nil
  }

  /// Returns the name by which a layer reads a value. If the value is a constant, adds a layer that loads the constant.
  mutating func read(_ value: Graph.ValueID) throws -> String {
    try load(value)
    return name(of: value)
  }

  /// Adds a layer that loads a constant, unless such a layer exists already.
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

  /// Returns the value's name in the file: the value's own name, with a number added if another value has that name.
  mutating func name(of value: Graph.ValueID) -> String {
    if let known = names[value] { return known }
    let name: String = taken.fresh(graph[value].name)
    names[value] = name
    return name
  }
}
