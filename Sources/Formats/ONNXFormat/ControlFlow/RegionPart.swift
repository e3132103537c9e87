import Graph
import Operators

/// A graph inside of a node. It becomes a region of the control-flow operator that the node becomes.
///
/// The arguments of a region are the values that the loop carries, and then the captured values of the outer graph. All
/// regions of a node have the same arguments.
final class RegionPart {
  /// The names inside of the region, with their values.
  let scope: GraphScope
  /// The results of the region.
  var outputs: [ONNXTensor] = []
  /// The arguments that a loop carries.
  private(set) var carried: [Graph.ValueID] = []

  init(inside outer: GraphScope) throws {
    scope = try GraphScope(inside: outer, builder: GraphBuilder(inside: outer.builder))
  }

  /// Adds an argument for a value that a loop carries.
  func carry(_ name: String, _ extents: [Extent]?, _ element: ElementType) -> ONNXTensor {
    let value: Graph.ValueID = scope.builder.addArgument(
      name, extents: extents, element: element.heldFromONNX)
    carried.append(value)
    return ONNXTensor(value, element)
  }

  /// Returns the outer values that any of the parts captures, and the regions of the parts. Every region has one
  /// argument for each of these outer values.
  static func regions(_ parts: [RegionPart], _ outer: GraphScope) throws -> (
    [Graph.ValueID], [Graph.Region]
  ) {
    var seen: Set<String> = []
    let names: [String] = parts.flatMap { $0.scope.captures.map(\.name) }
      .filter { seen.insert($0).inserted }
    let arguments: [Graph.ValueID] = try names.map { try outer.output($0).id }
    let regions: [Graph.Region] = parts.map { part in
      let own = Dictionary(
        part.scope.captures.map { ($0.name, $0.inner) }, uniquingKeysWith: { first, _ in first })
      var region: Graph.Region = part.scope.builder.region(outputs: part.outputs.map(\.id))
      region.graph.inputs =
        part.carried + names.map { own[$0] ?? region.graph.addValue($0) }
      return region
    }
    return (arguments, regions)
  }
}
