/// Layers of a graph that follow each other and can be planned together for inputs of these shapes.
final class DynamicPiece: Sendable {
  /// The position behind the last of its nodes.
  let end: Int
  /// What it reads, with the shapes that it was planned for.
  let inputs: [(value: Graph.ValueID, type: TensorType)]
  /// What it makes that others read.
  let outputs: [(value: Graph.ValueID, type: TensorType)]
  /// Whether shapes of outputs were computed from values: other values of the same shapes may need
  /// another plan.
  let dependsOnValues: Bool
  private let prepared: PreparedPlan

  /// Plans the nodes of a range whose types `graph` knows.
  ///
  /// - Parameter isNeeded: whether a value is read behind the range.
  init(
    _ range: Range<Int>, of graph: Graph, passes: [any GraphPass.Type], options: ExecutionOptions,
    dependsOnValues: Bool, isNeeded: (Graph.ValueID) -> Bool
  ) throws {
    self.dependsOnValues = dependsOnValues
    end = range.upperBound
    var part = Graph()
    var moved: [Graph.ValueID: Graph.ValueID] = [:]
    var inputs: [(Graph.ValueID, TensorType)] = []
    var outputs: [(Graph.ValueID, TensorType)] = []
    func move(_ value: Graph.ValueID) -> Graph.ValueID {
      if let known = moved[value] { return known }
      let new = part.addValue(graph[value].name, type: graph[value].type)
      part[new].constant = graph[value].constant
      moved[value] = new
      return new
    }
    for node in graph.nodes[range] {
      for input in node.inputs where moved[input] == nil {
        let new = move(input)
        guard graph[input].constant == nil, let type = graph[input].type else { continue }
        part.inputs.append(new)
        inputs.append((input, type))
      }
      for output in node.outputs {
        let new = move(output)
        guard isNeeded(output), let type = graph[output].type else { continue }
        part.outputs.append(new)
        outputs.append((output, type))
      }
      part.nodes.append(
        Graph.Node(
          name: node.name, operation: node.operation, inputs: node.inputs.map(move),
          outputs: node.outputs.map(move)))
    }
    for pass in passes { try pass.run(on: &part) }
    let plan = try Planner.plan(part, options: options)
    let inputTypes = inputs.map(\.1)
    try MemoryBudget(options).check(plan, inputTypes: inputTypes)
    prepared = PreparedPlan(plan, inputTypes: inputTypes)
    self.inputs = inputs.map { (value: $0.0, type: $0.1) }
    self.outputs = outputs.map { (value: $0.0, type: $0.1) }
  }

  /// Whether the values have the shapes that this was planned for.
  func fits(_ values: [DynamicTensor?]) -> Bool {
    inputs.allSatisfy { values[$0.value.index]?.shape == $0.type.shape }
  }

  /// Computes the outputs from the inputs.
  func run(_ values: [DynamicTensor?], _ run: DynamicRun) throws -> [DynamicTensor] {
    try prepared.withSession { session in
      for (position, input) in inputs.enumerated() {
        guard let tensor = values[input.value.index] else {
          preconditionFailure("a piece runs only where its inputs exist")
        }
        try session.load(tensor, into: position)
      }
      try session.run(run.limits)
      return try outputs.enumerated().map { position, output in
        let tensor = try DynamicTensor(output.type.shape, run.account)
        try session.store(position, into: tensor)
        return tensor
      }
    }
  }
}
