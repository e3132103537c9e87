import Engine

/// Records the values that the regions of a network compute during a run. The regions of a network are the bodies of
/// its loops and branches.
struct RegionTrace {
  /// The maximum number of recorded runs per region.
  static let tracedIterations = 64

  /// A recorded value of a region.
  private struct Entry {
    let name: String
    let kind: String
    /// The index of the value among the region's outputs.
    let output: Int
  }

  private var entries: [[RegionIndex]: [Entry]] = [:]
  private var iterations: [[RegionIndex]: Int] = [:]
  /// The recorded values, in the order of their computation. The key is the name of the outermost node that contains
  /// the region.
  private var made: [String: [TracedValue]] = [:]

  /// - Parameter graph: A graph on which ``Graph/showRegions()`` was called.
  init(_ graph: Graph) { list(graph, at: []) }

  private mutating func list(_ graph: Graph, at path: [RegionIndex]) {
    for node in graph.nodes {
      for (number, region) in node.regions.enumerated() {
        let innerPath: [RegionIndex] = path + [RegionIndex(node: node.name, region: number)]
        var found: [Entry] = []
        for inner in region.graph.nodes {
          for output in inner.outputs {
            guard let position = region.graph.outputs.firstIndex(of: output) else { continue }
            found.append(
              Entry(
                name: region.graph[output].name, kind: inner.operation.name, output: position))
          }
        }
        entries[innerPath] = found
        list(region.graph, at: innerPath)
      }
    }
  }

  /// Records the outputs of one run of a region.
  mutating func record(_ outputs: [PortTensor?], of path: [RegionIndex]) {
    let iteration: Int = iterations[path, default: 0] + 1
    iterations[path] = iteration
    guard iteration <= Self.tracedIterations, let outermost = path.first else { return }
    // The result of an operation and the rounded result have the same name. The trace contains only the rounded result,
    // which comes later.
    var last: [String: Int] = [:]
    for (index, entry) in entries[path, default: []].enumerated() { last[entry.name] = index }
    for (index, entry) in entries[path, default: []].enumerated() where last[entry.name] == index {
      guard outputs.indices.contains(entry.output), let tensor = outputs[entry.output] else {
        continue
      }
      made[outermost.node, default: []].append(
        TracedValue(
          name: entry.name, kind: entry.kind, shape: tensor.form.shape.dimensions,
          values: tensor.numbers, isOutput: false, iteration: iteration))
    }
  }

  /// Returns the recorded values of a node's regions, and removes them from this trace.
  mutating func values(within node: String) -> [TracedValue] {
    made.removeValue(forKey: node) ?? []
  }
}

extension PortTensor {
  /// The elements in row-major order.
  var numbers: [Float] { TensorCodec.unpack(memory, as: form).reals.map { Float($0) } }
}

extension Graph {
  /// Adds every value that a region computes to the outputs of the region, after the region's own outputs.
  mutating func showRegions() {
    for position in nodes.indices {
      for number in nodes[position].regions.indices {
        var inner: Graph = nodes[position].regions[number].graph
        inner.showRegions()
        var shown: Set<ValueID> = Set(inner.outputs)
        for output in inner.nodes.flatMap(\.outputs)
        where inner[output].constant == nil && shown.insert(output).inserted {
          inner.outputs.append(output)
        }
        nodes[position].regions[number].graph = inner
      }
    }
  }
}
