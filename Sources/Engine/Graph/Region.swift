extension Graph {
  /// A graph inside of a node: one side of a branch, the condition of a loop, or its body.
  ///
  /// It shares no names with the graph around it. What it reads are its graph's inputs, one for each
  /// argument that the node hands on; what it makes are its graph's outputs, in the order that the
  /// node's operator states. An output may be an input as it came. An argument that does not exist when
  /// the network runs is an input that does not exist.
  public struct Region: Sendable {
    /// What it computes.
    public var graph: Graph

    /// A region that computes a graph.
    public init(_ graph: Graph) { self.graph = graph }

    /// A region that gives its first arguments as they came: the side of a branch that is not there.
    public static func passing(_ count: Int, of names: [String]) -> Region {
      var graph = Graph()
      graph.inputs = names.map { graph.addValue($0) }
      graph.outputs = Array(graph.inputs.prefix(count))
      return Region(graph)
    }
  }
}

/// How a region came to its end.
public enum RegionExit: Sendable, Hashable {
  /// The last node was reached.
  case end
  /// The loop around is left.
  case breaksLoop
  /// The loop around goes on with its next turn.
  case continuesLoop
}
