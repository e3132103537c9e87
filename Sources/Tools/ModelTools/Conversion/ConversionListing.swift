import Engine
import Operators

/// Lists the layers of a converted model in the order in which they run.
public struct ConversionListing {
  /// A line for each layer: its number, its name, its operator, what it reads, the shape of its result and the number of
  /// its weights.
  public let lines: [String]

  /// Lists the layers of a model. For inputs of any size,
  /// the shapes are those for the size that the model declares as usual, or for 224.
  public init(_ model: GraphModel) {
    let graph: Graph = Self.typed(model)
    let width: Int = "\(graph.nodes.count)".count
    lines = graph.nodes.enumerated().map { index, node in
      let inputs: [Graph.ValueID] = node.inputs.filter { graph[$0].constant == nil }
      let weights: Int = node.inputs.reduce(0) { $0 + (graph[$1].constant?.shape.count ?? 0) }
      let results: [String] = node.outputs.map { graph[$0].type.map { "\($0)" } ?? "any shape" }
      let number = String(repeating: " ", count: width - "\(index + 1)".count) + "\(index + 1)"
      return "\(number)/\(graph.nodes.count)  \(node.name.isEmpty ? "(no name)" : node.name):"
        + " \(node.operation.name)"
        + (inputs.isEmpty ? "" : " of " + inputs.map { graph[$0].name }.joined(separator: ", "))
        + " → \(results.joined(separator: ", "))"
        + (weights == 0 ? "" : ", \(weights) weights")
    }
  }

  /// The extents that are tried for axes of any length.
  private static let triedExtents: [Int] = [224, 64, 1]

  /// Returns the graph with the types of its values, as far as they can be inferred.
  private static func typed(_ model: GraphModel) -> Graph {
    for number in triedExtents {
      let types: [TensorType?] = model.inputs.map { feature in
        let extents: [Int]? =
          feature.usual
          ?? feature.extents?.map { min(max(number, $0.lower), max($0.lower, $0.upper ?? Int.max)) }
        return extents.map { TensorType(Shape($0), feature.held) }
      }
      var graph: Graph = model.graph
      if (try? graph.inferTypes(from: types)) != nil { return graph }
    }
    return model.graph
  }
}
