import Graph
import ModelFormat

/// Names become regions: a nested network reads and writes the names of the network around it; a
/// region has an input for each name that it may read and an output for each that it may write.
extension NeuralNetworkBuilder {
  /// A name that a nested network takes from the network around it.
  package struct Capture {
    /// The name.
    package var name: String
    /// The input that stands for it.
    package var value: Graph.ValueID
    /// The first layer that reads it; nil for a name that may be missing.
    package var reader: String?
  }

  /// A node at which the network may be left early, and the number of values before the next node.
  package struct EarlyEnd {
    package var node: Int
    package var valueCount: Int
  }

  /// The regions of one layer, and the names of its arguments and of its results.
  private struct Nest {
    var arguments: [(name: String, reader: String?)] = []
    var results: [String] = []
    var regions: [Graph.Region] = []
    /// Whether one of the regions may leave the network around it.
    var mayLeave = false
  }

  /// Adds a layer that decides what runs.
  package mutating func add(_ message: Spec.NeuralNetworkLayer, _ control: any ControlOperator)
    throws
  {
    let nest: Nest
    do {
      nest = try nested(in: message, control.rule)
    } catch let error as EngineError {
      throw error.naming(control.name, message.name)
    }
    var inputs: [Graph.ValueID] = []
    for name in message.input { inputs.append(try value(name, reader: message.name)) }
    for argument in nest.arguments {
      inputs.append(try value(argument.name, reader: argument.reader))
    }
    let outputs: [Graph.ValueID] = nest.results.map { write($0) }
    graph.nodes.append(
      Graph.Node(
        name: message.name, operation: control, inputs: inputs, outputs: outputs,
        regions: nest.regions))
    if nest.mayLeave {
      earlyEnds.append(
        EarlyEnd(node: graph.nodes.count - 1, valueCount: graph.values.count))
    }
  }

  private func nested(in message: Spec.NeuralNetworkLayer, _ rule: ControlRule) throws -> Nest {
    switch (message.layer, rule) {
    case (.branch(let branch)?, _):
      let sides = try [branch.ifBranch, branch.elseBranch].compactMap { $0 }.map {
        try nested($0, isInsideLoop: context.isInsideLoop)
      }
      var nest: Nest = NeuralNetworkBuilder.joined(sides, mayMakeOwn: false)
      let names: [String] = nest.arguments.map(\.name)
      nest.regions = sides.map { $0.region(names, nest.results) }
      if nest.regions.count == 1 { nest.regions.append(.passing(nest.results.count, of: names)) }
      nest.mayLeave = sides.contains { !$0.earlyEnds.isEmpty }
      return nest
    case (.loop(let loop)?, .loop(let rule)):
      var parts: [NeuralNetworkBuilder] = []
      if rule.hasCondition {
        let condition = try nested(
          loop.conditionNetwork ?? Spec.NeuralNetwork(), isInsideLoop: false)
        guard condition.writes.contains(loop.conditionVar) else {
          throw EngineError(
            .invalidModel,
            "the condition network does not make the condition '\(loop.conditionVar)'.")
        }
        parts.append(condition)
      }
      parts.append(try nested(loop.bodyNetwork ?? Spec.NeuralNetwork(), isInsideLoop: true))
      var nest: Nest = NeuralNetworkBuilder.joined(parts, mayMakeOwn: true)
      let names: [String] = nest.arguments.map(\.name)
      nest.regions = parts.enumerated().map { position, part in
        let isCondition: Bool = rule.hasCondition && position == 0
        return part.region(names, (isCondition ? [loop.conditionVar] : []) + nest.results)
      }
      return nest
    case (_, .leave): return Nest(mayLeave: true)
    default:
      preconditionFailure("only branches, loops and what leaves them decide what runs")
    }
  }

  /// Builds a nested network as far as its own layers tell.
  private func nested(_ network: Spec.NeuralNetwork, isInsideLoop: Bool) throws
    -> NeuralNetworkBuilder
  {
    guard context.nesting < Self.deepest else {
      throw EngineError(
        .invalidModel,
        "networks are nested \(context.nesting) deep, at most \(Self.deepest) are supported. The file may be corrupt."
      )
    }
    var inner = context
    inner.nesting += 1
    inner.isInsideLoop = isInsideLoop
    var builder = NeuralNetworkBuilder(context: inner, captures: true)
    for layer in network.layers { try builder.add(layer) }
    return builder
  }

  private static let deepest = 64

  /// Joins the names of the nested networks of one layer; those that they write come first. A name
  /// that one of them writes may be missing outside when `mayMakeOwn`: another turn has made it.
  private static func joined(_ parts: [NeuralNetworkBuilder], mayMakeOwn: Bool) -> Nest {
    var nest = Nest()
    var positions: [String: Int] = [:]
    for name in parts.flatMap(\.writes) where positions[name] == nil {
      // What is not written on the way that is taken stays as it is: so each of them is read too.
      positions[name] = nest.arguments.count
      nest.arguments.append((name, nil))
      nest.results.append(name)
    }
    for capture in parts.flatMap(\.captured) {
      guard let known = positions[capture.name] else {
        positions[capture.name] = nest.arguments.count
        nest.arguments.append((capture.name, capture.reader))
        continue
      }
      if mayMakeOwn, known < nest.results.count { continue }
      nest.arguments[known].reader = nest.arguments[known].reader ?? capture.reader
    }
    return nest
  }

  /// The region of what was built, between these names.
  private func region(_ arguments: [String], _ results: [String]) -> Graph.Region {
    var graph = graph
    var inputs: [String: Graph.ValueID] = [:]
    for capture in captured { inputs[capture.name] = capture.value }
    graph.inputs = arguments.map { name in
      let input = inputs[name] ?? graph.addValue(name)
      inputs[name] = input
      return input
    }
    func values(before limit: Int) -> [Graph.ValueID] {
      results.compactMap { name in
        versions[name]?.last { $0.index < limit } ?? inputs[name]
      }
    }
    graph.outputs = values(before: Int.max)
    for end in earlyEnds { graph.nodes[end.node].leaving = values(before: end.valueCount) }
    return Graph.Region(graph)
  }
}

extension NetworkContext {
  /// The names of a network's tree that one network may write and another one read; nil where there is
  /// only one network.
  ///
  /// - Parameter outputs: what is read from outside of the tree.
  package static func sharedNames(_ layers: [Spec.NeuralNetworkLayer], outputs: [String]) -> Set<
    String
  >? {
    guard layers.contains(where: { !$0.nested.isEmpty }) else { return nil }
    var shared = Set(outputs)
    collect(layers, into: &shared)
    return shared
  }

  /// Adds what a network reads without having written it before, and what it reads of what the
  /// networks inside of it write. The second is more than is needed: everything that it reads behind
  /// a branch or a loop.
  private static func collect(_ layers: [Spec.NeuralNetworkLayer], into shared: inout Set<String>) {
    var written: Set<String> = []
    for layer in layers {
      for name in layer.input where !written.contains(name) { shared.insert(name) }
      written.formUnion(layer.output)
      for network in layer.nested { collect(network.layers, into: &shared) }
      if case .loop(let loop)? = layer.layer { shared.insert(loop.conditionVar) }
      if !layer.nested.isEmpty { written = [] }
    }
  }
}

extension Spec.NeuralNetworkLayer {
  /// The networks that the layer holds.
  fileprivate var nested: [Spec.NeuralNetwork] {
    switch layer {
    case .branch(let branch)?: return [branch.ifBranch, branch.elseBranch].compactMap { $0 }
    case .loop(let loop)?: return [loop.conditionNetwork, loop.bodyNetwork].compactMap { $0 }
    default: return []
    }
  }
}
