import Graph
import Operators

/// One graph of a node while it becomes a region.
///
/// The arguments of every region are what a loop carries, then what the regions take from around, in one order.
final class RegionPart {
  /// Its names.
  let scope: GraphScope
  /// What the region gives.
  var outputs: [ONNXTensor] = []
  /// The arguments that a loop carries.
  private(set) var carried: [Graph.ValueID] = []

  init(inside outer: GraphScope) throws {
    scope = try GraphScope(inside: outer, builder: GraphBuilder(inside: outer.builder))
  }

  /// Adds an argument that a loop carries.
  func carry(_ name: String, _ extents: [Extent]?, _ element: ElementType) -> ONNXTensor {
    let value: Graph.ValueID = scope.builder.addArgument(
      name, extents: extents, element: element.heldFromONNX)
    carried.append(value)
    return ONNXTensor(value, element)
  }

  /// The values around that the regions take, and the regions with one argument for each.
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
