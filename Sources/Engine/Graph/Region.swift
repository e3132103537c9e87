extension Graph {
  /// A graph inside of a node: one side of a branch, the condition of a loop, or its body.
  ///
  /// A region shares no names with the surrounding graph. The region's graph has one input for each argument of the
  /// node. The operator of the node determines the order of the graph's outputs. An output may be an unchanged input.
  /// If an argument does not exist when the network runs, the region's input for this argument does not exist either.
  public struct Region: Sendable {
    /// The graph that the region computes.
    public var graph: Graph

    /// Creates a region that computes a graph.
    public init(_ graph: Graph) { self.graph = graph }

    /// Creates a region that returns its first `count` arguments unchanged. Such a region replaces a missing side of a
    /// branch. The region has one argument for each name in `names`.
    public static func passing(_ count: Int, of names: [String]) -> Region {
      var graph = Graph()
      graph.inputs = names.map { graph.addValue($0) }
      graph.outputs = Array(graph.inputs.prefix(count))
      return Region(graph)
    }
  }
}

/// How a region ended.
public enum RegionExit: Sendable, Hashable {
  /// The last node of the region ran.
  case end
  /// A node ended the surrounding loop.
  case breaksLoop
  /// A node ended this iteration of the surrounding loop.
  case continuesLoop
}
