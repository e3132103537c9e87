import Engine
import Foundation

/// A value within a network, as one prediction has made it.
package struct TracedValue: Sendable {
  /// The name in the model.
  package let name: String
  /// What made it: `Convolution`.
  package let kind: String
  /// Its extents.
  package let shape: [Int]
  /// Its elements in row-major order.
  package let values: [Float]
  /// Whether it is an output of the network.
  package let isOutput: Bool
  /// The names of the values that it is computed from; of a loop's or a branch's value, those that the node around it
  /// makes read it.
  package var sources: [String] = []
  /// For values of a loop's body or of a branch: the how many-th run of that made it, from 1 on.
  package var turn: Int?
}

/// The numbers that a traced network computes with.
package enum TracedPrecision: String, Sendable, CaseIterable {
  /// Those that the model asks for.
  case written
  /// `float32` throughout: nothing is rounded to `float16`, whatever a program writes.
  case float32
  /// Every result is rounded to `float16`.
  case float16
  /// Feature maps are stored as `bfloat16` where kernels have it.
  case bfloat16
}

extension MLModel {
  /// All values that the nodes of the model's network make of an input, in their order. States begin with zeros.
  ///
  /// Nothing is fused, as every value is looked at: the numbers are those of single kernels. Of the bodies of loops
  /// the first ``RegionTrace/tracedTurns`` turns are looked at; their values come before what the loop makes.
  ///
  /// - Returns: nil for a model that is no network.
  package func trace(
    _ input: any MLFeatureProvider, precision: TracedPrecision = .written
  ) throws -> [TracedValue]? {
    try translatingErrors {
      try loaded.runner.networkRunner()?.trace(input, precision: precision)
    }
  }
}

extension NetworkRunner {
  fileprivate func trace(
    _ input: any MLFeatureProvider, precision: TracedPrecision
  ) throws -> [TracedValue] {
    let given: [MLFeatureValue?] = try inputs.map { try $0.value(in: input) }
    let types: [TensorType] =
      try zip(inputs, given).map { try $0.tensorType(for: $1) } + states.map(\.type)
    let (graph, traced) = try tracedGraph(for: types, precision: precision)
    var options: ExecutionOptions = network.options
    if precision != .written { options.precision = precision == .bfloat16 ? .bfloat16 : .float32 }
    let memory: StateMemory? = states.isEmpty ? nil : try StateMemory(states)
    var regions = RegionTrace(graph)
    return try Network(graph, passes: GraphPasses.standard, options: options).plan(for: types)
      .withSession { session in
        for (index, port) in inputs.enumerated() {
          try port.write(given[index], to: session.input(index))
        }
        memory?.bind(to: session, as: states)
        try session.run(observing: { regions.take($1, of: $0) })
        var namesWithin: [String: Set<String>] = [:]
        return try traced.flatMap { entry in
          let tensor: BorderTensor = try session.output(entry.output)
          var values = [Float](repeating: 0, count: tensor.form.shape.count)
          try values.withUnsafeMutableBufferPointer { buffer in
            // Safe: the buffer holds as many elements as the shape has.
            guard let start = buffer.baseAddress else { return }
            try session.store(entry.output, into: start)
          }
          let value = TracedValue(
            name: entry.name, kind: entry.kind, shape: tensor.form.shape.dimensions,
            values: values, isOutput: entry.isOutput)
          let inner: [TracedValue] = regions.values(within: entry.node)
          namesWithin[entry.node, default: []].formUnion(inner.map(\.name))
          var made: TracedValue = value
          made.sources = entry.sources + (namesWithin[entry.node] ?? [])
          return inner + [made]
        }
      }
  }

  private struct Traced {
    let name: String
    let kind: String
    /// The name of the node that makes it.
    let node: String
    let output: Int
    let isOutput: Bool
    /// The names of what the node reads.
    let sources: [String]
  }

  /// The graph with every value that a node makes among its outputs, behind those that it has.
  private func tracedGraph(
    for types: [TensorType], precision: TracedPrecision
  ) throws -> (Graph, [Traced]) {
    var graph: Graph = network.graph
    graph.showRegions()
    switch precision {
    case .float32: graph.dropRounding()
    case .float16: try graph.roundResults(to: .float16, for: types)
    case .written, .bfloat16: break
    }
    // Of what an operation makes and its rounded value, which has the same name, the last is meant.
    var makers: [String: (value: Graph.ValueID, kind: String, node: String, order: Int)] = [:]
    var sources: [String: Set<String>] = [:]
    var kinds: [Graph.ValueID: String] = [:]
    for (order, node) in graph.nodes.enumerated() {
      for value in node.outputs where graph[value].constant == nil {
        // What only rounds belongs to the operation before it.
        let isRounding: Bool = node.operation is RoundOperator || node.operation is CopyOperator
        let kind: String? = isRounding ? node.inputs.first.flatMap { kinds[$0] } : nil
        kinds[value] = kind ?? node.operation.name
        let read: [String] = node.inputs.filter { graph[$0].constant == nil }.map { graph[$0].name }
        sources[graph[value].name, default: []].formUnion(read)
        makers[graph[value].name] = (
          value, kind ?? node.operation.name, node.name, order
        )
      }
    }
    let results: Set<Graph.ValueID> = Set(graph.outputs)
    let traced: [Traced] = makers.sorted { $0.value.order < $1.value.order }.map { name, maker in
      let place: Int = graph.outputs.firstIndex(of: maker.value) ?? graph.outputs.count
      if place == graph.outputs.count { graph.outputs.append(maker.value) }
      return Traced(
        name: name, kind: maker.kind, node: maker.node, output: place,
        isOutput: results.contains(maker.value), sources: (sources[name] ?? []).sorted())
    }
    return (graph, traced)
  }
}

extension Graph {
  /// Lets results pass that would be rounded.
  fileprivate mutating func dropRounding() {
    for index in nodes.indices {
      if nodes[index].operation is RoundOperator { nodes[index].operation = CopyOperator() }
      for region in nodes[index].regions.indices {
        nodes[index].regions[region].graph.dropRounding()
      }
    }
  }

  /// Rounds what every node makes of numbers with fractions; those of regions where their types are known ahead.
  fileprivate mutating func roundResults(
    to element: ElementType, for types: [TensorType?]
  ) throws {
    var typed: Graph = self
    try typed.inferTypes(from: types)
    var rounded: [ValueID: ValueID] = [:]
    var all: [Node] = []
    for var node in nodes {
      for number in node.regions.indices {
        var inner: Graph = node.regions[number].graph
        let given: [TensorType?] = node.inputs.suffix(inner.inputs.count).map { typed[$0].type }
        guard (try? inner.roundResults(to: element, for: given)) != nil else { continue }
        node.regions[number].graph = inner
      }
      node.inputs = node.inputs.map { rounded[$0] ?? $0 }
      all.append(node)
      for output in node.outputs where typed[output].type?.element == .float32 {
        let value: ValueID = addValue(self[output].name)
        rounded[output] = value
        all.append(
          Node(
            name: self[output].name, operation: RoundOperator(to: element), inputs: [output],
            outputs: [value]))
      }
    }
    nodes = all
    outputs = outputs.map { rounded[$0] ?? $0 }
    for (value, port) in imageOutputs {
      guard let moved = rounded[value] else { continue }
      imageOutputs[value] = nil
      imageOutputs[moved] = port
    }
  }
}
