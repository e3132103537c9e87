import Engine

/// What the regions of a network make while it runs: the bodies of its loops and branches.
struct RegionTrace {
  /// The number of runs of one region that are kept.
  static let tracedTurns = 64

  /// A value of a region that is looked at.
  private struct Entry {
    let name: String
    let kind: String
    /// Its place among the outputs of the region.
    let output: Int
  }

  private var entries: [[RegionPlace]: [Entry]] = [:]
  private var turns: [[RegionPlace]: Int] = [:]
  /// In the order of their making, by the name of the outermost node.
  private var made: [String: [TracedValue]] = [:]

  /// Of a graph whose regions show their values, see ``Graph/showRegions()``.
  init(_ graph: Graph) { list(graph, at: []) }

  private mutating func list(_ graph: Graph, at path: [RegionPlace]) {
    for node in graph.nodes {
      for (number, region) in node.regions.enumerated() {
        let place: [RegionPlace] = path + [RegionPlace(node: node.name, region: number)]
        var found: [Entry] = []
        for inner in region.graph.nodes {
          for output in inner.outputs {
            guard let position = region.graph.outputs.firstIndex(of: output) else { continue }
            found.append(
              Entry(
                name: region.graph[output].name, kind: inner.operation.name, output: position))
          }
        }
        entries[place] = found
        list(region.graph, at: place)
      }
    }
  }

  /// Keeps what one run of a region has made.
  mutating func take(_ outputs: [BorderTensor?], of place: [RegionPlace]) {
    let turn: Int = turns[place, default: 0] + 1
    turns[place] = turn
    guard turn <= Self.tracedTurns, let outermost = place.first else { return }
    // Of what an operation makes and its rounded value, which has the same name, the last is meant.
    var last: [String: Int] = [:]
    for (index, entry) in entries[place, default: []].enumerated() { last[entry.name] = index }
    for (index, entry) in entries[place, default: []].enumerated() where last[entry.name] == index {
      guard outputs.indices.contains(entry.output), let tensor = outputs[entry.output] else {
        continue
      }
      made[outermost.node, default: []].append(
        TracedValue(
          name: entry.name, kind: entry.kind, shape: tensor.form.shape.dimensions,
          values: tensor.numbers, isOutput: false, turn: turn))
    }
  }

  /// What the regions of a node have made; once.
  mutating func values(within node: String) -> [TracedValue] {
    made.removeValue(forKey: node) ?? []
  }
}

extension BorderTensor {
  /// The elements in row-major order.
  var numbers: [Float] { TensorCodec.unpack(memory, as: form).reals.map { Float($0) } }
}

extension Graph {
  /// Makes outputs of all values that regions compute, behind those that they have.
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
