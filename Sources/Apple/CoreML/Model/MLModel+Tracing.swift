import Engine
import Foundation

/// A value inside a network, recorded during one prediction.
package struct TracedValue: Sendable {
  /// The value's name in the model.
  package let name: String
  /// The name of the operator that made the value, such as `Convolution`.
  package let kind: String
  /// The length of each axis.
  package let shape: [Int]
  /// The elements in row-major order.
  package let values: [Float]
  /// Whether the value is an output of the network.
  package let isOutput: Bool
  /// The names of the inputs of the node that made the value. If the node is a loop or a branch, also the names of the
  /// values in the node's regions.
  package var sources: [String] = []
  /// The number of the run that made this value, for a value in the body of a loop or branch. The first run of a body
  /// has the number 1. Nil for other values.
  package var iteration: Int?
}

/// The precision of a traced network.
package enum TracedPrecision: String, Sendable, CaseIterable {
  /// The precision that the model declares.
  case written
  /// All values are `float32`. Operations that round to `float16` in the program only copy their inputs.
  case float32
  /// Every result is rounded to `float16`.
  case float16
  /// Feature maps are stored as `bfloat16` where kernels support it.
  case bfloat16
}

extension MLModel {
  /// Predicts, and records the outputs of all nodes of the model's network in the order of the nodes. States start with
  /// zeros.
  ///
  /// Because every value is an output, the engine fuses no nodes. Each value therefore comes from a single kernel. For
  /// a loop, the result contains the values of the body in the first ``RegionTrace/tracedIterations`` iterations. These
  /// values come before the outputs of the loop.
  ///
  /// - Returns: The values, or nil for a model that is not a network.
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
    let inputValues: [MLFeatureValue?] = try inputs.map { try $0.value(in: input) }
    let types: [TensorType] =
      try zip(inputs, inputValues).map { try $0.tensorType(for: $1) } + states.map(\.type)
    let (graph, traced) = try tracedGraph(for: types, precision: precision)
    let states: [NetworkState] = self.states.map { $0.stored(in: graph) }
    var options: ExecutionOptions = network.options
    if precision != .written { options.precision = precision == .bfloat16 ? .bfloat16 : .float32 }
    let memory: StateMemory? = states.isEmpty ? nil : try StateMemory(states)
    var regions = RegionTrace(graph)
    return try Network(graph, passes: GraphPasses.standard, options: options).plan(for: types)
      .withSession { session in
        for (index, port) in inputs.enumerated() {
          try port.write(inputValues[index], to: session.input(index))
        }
        memory?.bind(to: session, as: states)
        try session.run(observing: { regions.record($1, of: $0) })
        var namesWithin: [String: Set<String>] = [:]
        return try traced.flatMap { entry in
          let tensor: PortTensor = try session.output(entry.output)
          var values = [Float](repeating: 0, count: tensor.form.shape.count)
          try values.withUnsafeMutableBufferPointer { buffer in
            // Safe: the buffer has as many elements as the output.
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
    /// The name of the node that makes the value.
    let node: String
    /// The index of the value among the outputs of the traced graph.
    let output: Int
    /// Whether the value is an output of the original graph.
    let isOutput: Bool
    /// The names of the node's inputs.
    let sources: [String]
  }

  /// Returns the graph with every node output as an additional output. The additional outputs follow the graph's own
  /// outputs.
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
    // The result of an operation and the rounded result have the same name. The trace contains the rounded result,
    // which comes later.
    var makers: [String: (value: Graph.ValueID, kind: String, node: String, order: Int)] = [:]
    var sources: [String: Set<String>] = [:]
    var kinds: [Graph.ValueID: String] = [:]
    for (order, node) in graph.nodes.enumerated() {
      for value in node.outputs where graph[value].constant == nil {
        // If a node only rounds, the trace states the kind of the operation before the node.
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
      let index: Int = graph.outputs.firstIndex(of: maker.value) ?? graph.outputs.count
      if index == graph.outputs.count { graph.outputs.append(maker.value) }
      return Traced(
        name: name, kind: maker.kind, node: maker.node, output: index,
        isOutput: results.contains(maker.value), sources: (sources[name] ?? []).sorted())
    }
    return (graph, traced)
  }
}

extension NetworkState {
  /// Returns the state with the type of its memory for another graph of the network.
  fileprivate func stored(in graph: Graph) -> NetworkState {
    NetworkState(
      name: name, type: type, storage: graph.storage(of: port, type.element),
      visibleType: visibleType, port: port)
  }
}

extension Graph {
  /// Replaces every operator that rounds with an operator that copies.
  fileprivate mutating func dropRounding() {
    for index in values.indices { self[ValueID(index)].narrowType = nil }
    for index in nodes.indices {
      if nodes[index].operation is RoundOperator { nodes[index].operation = CopyOperator() }
      for region in nodes[index].regions.indices {
        nodes[index].regions[region].graph.dropRounding()
      }
    }
  }

  /// Rounds every float32 output of every node to a narrower type, also in the nodes' regions (the bodies of loops and
  /// branches). If the types of a region's inputs are not known, the region stays unchanged.
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
        let inputTypes: [TensorType?] = node.inputs.suffix(inner.inputs.count).map {
          typed[$0].type
        }
        guard (try? inner.roundResults(to: element, for: inputTypes)) != nil else { continue }
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
