import Graph
import ModelFormat
import Operators

/// The names in the outer network to which a region inside of a loop copies its results. The region copies them at its
/// end, and also before each break or continue inside of the region.
final class RegionEnd {
  /// The names in the outer network, one for each result.
  let results: [String]
  /// The next enclosing region inside of the same loop. Nil if this region is the loop's body.
  let outer: RegionEnd?
  /// The values that the region copies to ``results`` before a break or continue, by their names inside the region. The
  /// writer sets this list for each node that can leave the region. Nil for a value that does not exist at run time.
  var leaving: [String?] = []

  init(_ results: [String], inside outer: RegionEnd? = nil) {
    self.results = results
    self.outer = outer
  }
}

/// Turns regions into nested networks. All nested networks of a node write to the names of the node's results in the
/// outer network. In a loop, the nested networks also read these names, which hold the values that the loop carries
/// from iteration to iteration.
extension NeuralNetworkWriter {
  /// Writes the layer of a control-flow node. Before this layer, writes the layers that load the node's operands.
  mutating func write(_ node: Graph.Node, _ rule: ControlRule) throws {
    switch rule {
    case .branch: try writeBranch(node)
    case .loop(let loop): try writeLoop(node, loop)
    case .leave(let exit): try writeExit(node, exit)
    }
  }

  private mutating func writeBranch(_ node: Graph.Node) throws {
    let condition: String = try read(node.inputs[0])
    let results: [String] = node.outputs.map { name(of: $0) }
    let end: RegionEnd? = self.end.map { RegionEnd(results, inside: $0) }
    self.end?.leaving = try namesOnLeaving(node)
    var networks: [Spec.NeuralNetwork] = []
    for region in node.regions {
      var writer = try nested(region, node.arguments, end: end)
      try writer.writeNodes()
      try writer.move(writer.graph.outputs, to: results)
      networks.append(.making { $0.layers = writer.layers })
    }
    append(
      .making {
        ($0.name, $0.input) = (node.name, [condition])
        $0.layer = .branch(
          .making {
            $0.ifBranch = networks.first
            $0.elseBranch = networks.dropFirst().first { !$0.layers.isEmpty }
          })
      })
  }

  private mutating func writeLoop(_ node: Graph.Node, _ rule: LoopRule) throws {
    guard rule.hasCondition || rule.countsByInput || rule.most ?? 0 > 0 else {
      throw EngineError(
        .unsupported, "a loop of 0 iterations has no layer, which needs a number above 0.")
    }
    let count: [String] = rule.countsByInput ? [try read(node.inputs[0])] : []
    let results: [String] = node.outputs.map { name(of: $0) }
    let arguments: [Graph.ValueID] = node.arguments
    try move(Array(arguments.prefix(results.count)), to: results)
    var message: Spec.LoopLayerParams = .making {
      $0.maxLoopIterations = UInt64(max(0, rule.most ?? 0))
    }
    for (position, region) in node.regions.enumerated() {
      let isCondition: Bool = rule.hasCondition && position == 0
      var writer = try nested(
        region, arguments, carrying: results, end: isCondition ? nil : RegionEnd(results))
      try writer.writeNodes()
      guard isCondition else {
        try writer.move(writer.graph.outputs, to: results)
        message.bodyNetwork = .making { $0.layers = writer.layers }
        continue
      }
      let continues: String = taken.fresh("\(node.name) continues")
      try writer.move(writer.graph.outputs, to: [continues] + results)
      message.conditionVar = continues
      message.conditionNetwork = .making { $0.layers = writer.layers }
    }
    append(
      .making {
        ($0.name, $0.input) = (node.name, count)
        $0.layer = .loop(message)
      })
  }

  /// Writes the layer of a break or continue. Before this layer, writes layers that copy the results of all enclosing
  /// regions to the outer networks, innermost region first.
  private mutating func writeExit(_ node: Graph.Node, _ exit: RegionExit) throws {
    self.end?.leaving = try namesOnLeaving(node)
    var region: RegionEnd? = end
    while let left = region {
      move(left.leaving, to: left.results)
      region = left.outer
    }
    append(
      .making {
        $0.name = node.name
        $0.layer = exit == .breaksLoop ? .loopBreak(.init()) : .loopContinue(.init())
      })
  }

  /// Makes a writer of a region. The region's inputs get the names of the arguments. In a region of a loop, the first
  /// inputs get the names of the values that the loop carries.
  private mutating func nested(
    _ region: Graph.Region, _ arguments: [Graph.ValueID], carrying results: [String] = [],
    end: RegionEnd?
  ) throws -> NeuralNetworkWriter {
    var part: Graph = region.graph
    var names: [Graph.ValueID: String] = [:]
    for (position, input) in part.inputs.enumerated() {
      if position < results.count {
        names[input] = results[position]
      } else if let constant = graph[arguments[position]].constant {
        // As a constant of the region, the argument can become weights of the region's layers.
        part[input].constant = constant
      } else if exists(arguments[position]) {
        names[input] = name(of: arguments[position])
      }
    }
    return NeuralNetworkWriter(part, names: names, taken: taken, end: end)
  }

  private mutating func namesOnLeaving(_ node: Graph.Node) throws -> [String?] {
    try (node.leaving ?? []).map { exists($0) ? try read($0) : nil }
  }

  // MARK: - Copying

  /// Adds layers that copy values to names.
  private mutating func move(_ values: [Graph.ValueID], to names: [String]) throws {
    move(try values.map { exists($0) ? try read($0) : nil }, to: names)
  }

  /// Adds layers that copy the values of `sources` to `targets`. The result is as if all copies happened at the same
  /// time. If a source is missing, its target stays unchanged.
  private mutating func move(_ sources: [String?], to targets: [String]) {
    var moves: [(source: String, target: String)] = zip(sources, targets).compactMap {
      source, target in source.flatMap { $0 == target ? nil : ($0, target) }
    }
    let written = Set(moves.map(\.target))
    for index in moves.indices where written.contains(moves[index].source) {
      let copied: String = taken.fresh("\(moves[index].source) before")
      copy(moves[index].source, to: copied)
      moves[index].source = copied
    }
    for (source, target) in moves { copy(source, to: target) }
  }

  private mutating func copy(_ source: String, to target: String) {
    append(
      .making {
        ($0.name, $0.input, $0.output) = ("copy \(source) to \(target)", [source], [target])
        $0.layer = .copy(Spec.CopyLayerParams())
      })
  }
}
