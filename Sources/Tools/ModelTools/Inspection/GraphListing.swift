import Engine

/// What a network means, layer by layer: the second stage of `atelier inspect`.
public struct GraphListing: Encodable, Sendable {
  /// A layer.
  public struct Node: Encodable, Sendable {
    /// Its name in the model.
    public let name: String
    /// What it computes: `Convolution`.
    public let kind: String
    /// The names of what it reads.
    public let inputs: [String]
    /// What it writes.
    public let outputs: [Value]
  }

  /// A tensor.
  public typealias Value = ListedTensor

  /// What the network takes.
  public let inputs: [Value]
  /// Its layers, in the order in which they run.
  public let nodes: [Node]
  /// What the network gives.
  public let outputs: [Value]

  /// Lists a graph whose types are inferred.
  public init(_ graph: Graph) {
    func value(_ index: Graph.ValueID) -> Value {
      Value(graph[index])
    }
    inputs = graph.inputs.map(value)
    outputs = graph.outputs.map(value)
    nodes = graph.nodes.map { node in
      Node(
        name: node.name, kind: node.operation.name,
        inputs: node.inputs.map { graph[$0].name }, outputs: node.outputs.map(value))
    }
  }
}
