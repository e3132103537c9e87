import Graph
import ModelFormat
import Operators

/// Where the results of a region inside of a loop go when the loop's turn ends there.
final class RegionEnd {
  /// The names of the results in the network around.
  let results: [String]
  /// The region around, as far as the loop; nil for its body.
  let outer: RegionEnd?
  /// What the results of the region are when the node that is written now leaves it: names, nil for values that
  /// are missing then.
  var leaving: [String?] = []

  init(_ results: [String], inside outer: RegionEnd? = nil) {
    self.results = results
    self.outer = outer
  }
}

/// Regions become names: each result of a node with regions is a name that its nested networks write, and what a
/// loop carries is one that they read as well.
extension NeuralNetworkWriter {
  /// The layer of a node that decides what runs, and those in front of it that make what it needs.
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
        .unsupported, "a loop of no turns has no layer, which needs a number above 0.")
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
      let goesOn: String = taken.fresh("\(node.name) goes on")
      try writer.move(writer.graph.outputs, to: [goesOn] + results)
      message.conditionVar = goesOn
      message.conditionNetwork = .making { $0.layers = writer.layers }
    }
    append(
      .making {
        ($0.name, $0.input) = (node.name, count)
        $0.layer = .loop(message)
      })
  }

  /// Ends the turn: what the regions around it make is moved to where it belongs, from the inside outwards.
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

  /// A writer of a region whose inputs are the arguments' names; of a loop's region the first ones are the names
  /// of what it carries.
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
        // The layers inside may hold it as weights.
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

  // MARK: - Moving

  /// Adds copies of values to names.
  private mutating func move(_ values: [Graph.ValueID], to names: [String]) throws {
    move(try values.map { exists($0) ? try read($0) : nil }, to: names)
  }

  /// Adds copies from names to names, as if all were made at the same time. What is missing stays as it is.
  private mutating func move(_ sources: [String?], to targets: [String]) {
    var moves: [(source: String, target: String)] = zip(sources, targets).compactMap {
      source, target in source.flatMap { $0 == target ? nil : ($0, target) }
    }
    let written = Set(moves.map(\.target))
    for index in moves.indices where written.contains(moves[index].source) {
      let kept: String = taken.fresh("\(moves[index].source) before")
      copy(moves[index].source, to: kept)
      moves[index].source = kept
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
