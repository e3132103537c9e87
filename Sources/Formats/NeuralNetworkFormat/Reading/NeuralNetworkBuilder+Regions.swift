import Graph
import ModelFormat

/// Turns nested networks into regions. In the file, a nested network reads and writes the names of the outer network.
/// Its region has one input for each name that it may read, and one output for each name that it may write.
extension NeuralNetworkBuilder {
  /// A name that a nested network reads from the outer network.
  package struct Capture {
    /// The name.
    package var name: String
    /// The input of the nested network for this name.
    package var value: Graph.ValueID
    /// The first layer that reads the name. Nil if the name may be missing.
    package var reader: String?
  }

  /// A node at which execution may leave the network early. `valueCount` is the number of values in the graph just
  /// after the node was added.
  package struct EarlyEnd {
    package var node: Int
    package var valueCount: Int
  }

  /// The regions of a control-flow layer, and the names of the values that the layer reads and writes.
  private struct Nest {
    var arguments: [(name: String, reader: String?)] = []
    var results: [String] = []
    var regions: [Graph.Region] = []
    /// Whether a region may end the surrounding network early.
    var mayLeave = false
  }

  /// Adds a control-flow layer.
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

  /// Builds a nested network from the network's own layers. Names of the outer network become captures.
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

  /// Joins the names of the nested networks of one layer. The names that the networks write come first. If `mayMakeOwn`
  /// is true, a name that a network both reads and writes may be missing in the outer network. An earlier iteration of
  /// the loop may have written it.
  private static func joined(_ parts: [NeuralNetworkBuilder], mayMakeOwn: Bool) -> Nest {
    var nest = Nest()
    var positions: [String: Int] = [:]
    for name in parts.flatMap(\.writes) where positions[name] == nil {
      // If the executed path does not write a name, the name keeps its value. So the region also reads each name that
      // it writes.
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

  /// Makes the region of this nested network. `arguments` and `results` are the names of the region's inputs and
  /// outputs.
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
  /// Returns the names that one network may write and another may read: the network of `layers`, or a network nested in
  /// it. Nil if no layer has a nested network.
  ///
  /// - Parameter outputs: The names that code outside of these networks reads.
  package static func sharedNames(_ layers: [Spec.NeuralNetworkLayer], outputs: [String]) -> Set<
    String
  >? {
    guard layers.contains(where: { !$0.nested.isEmpty }) else { return nil }
    var shared = Set(outputs)
    collect(layers, into: &shared)
    return shared
  }

  /// Adds the names that a network reads before it writes them. Also adds all names that the network reads after a
  /// branch or loop, because the branch or loop may have written them. So the set may contain names that nothing
  /// shares.
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
  /// The networks that are nested in this layer.
  fileprivate var nested: [Spec.NeuralNetwork] {
    switch layer {
    case .branch(let branch)?: return [branch.ifBranch, branch.elseBranch].compactMap { $0 }
    case .loop(let loop)?: return [loop.conditionNetwork, loop.bodyNetwork].compactMap { $0 }
    default: return []
    }
  }
}
