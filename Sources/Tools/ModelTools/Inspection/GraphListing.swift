import Engine

/// The graph of a network, layer by layer. It is one of the stages that `atelier inspect` shows.
public struct GraphListing: Encodable, Sendable {
  /// A layer.
  public struct Node: Encodable, Sendable {
    /// The name of the layer in the model.
    public let name: String
    /// The name of the layer's operator, such as `Convolution`.
    public let kind: String
    /// The names of the layer's inputs.
    public let inputs: [String]
    /// The outputs of the layer.
    public let outputs: [Value]
  }

  /// An input or output of the network or of a layer.
  public typealias Value = ListedTensor

  /// The inputs of the network.
  public let inputs: [Value]
  /// The layers of the network, in the order in which they run.
  public let nodes: [Node]
  /// The outputs of the network.
  public let outputs: [Value]

  /// Lists a graph after shape inference.
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
