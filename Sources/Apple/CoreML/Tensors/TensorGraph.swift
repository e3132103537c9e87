import Engine

/// The graph of everything that a tensor is made of and that is not computed yet.
struct TensorGraph {
  private var graph = Graph()
  private var given: [TensorValues] = []
  private let type: TensorType

  init(of tensor: TensorNode) {
    type = tensor.type
    var places: [ObjectIdentifier: Graph.ValueID] = [:]
    var added: [ObjectIdentifier: [Graph.ValueID]] = [:]
    // What a thread beside us computes meanwhile must not change what we have seen.
    var sources: [ObjectIdentifier: TensorNode.Source] = [:]
    var open: [TensorNode] = [tensor]
    while let node = open.last {
      let key = ObjectIdentifier(node)
      if places[key] != nil {
        open.removeLast()
        continue
      }
      let source: TensorNode.Source = sources[key] ?? node.source
      sources[key] = source
      switch source {
      case .values(let values):
        places[key] = add(values, node.type)
        open.removeLast()
      case .made(let operation, let output):
        let missing: [TensorNode] = operation.inputs.filter { places[ObjectIdentifier($0)] == nil }
        guard missing.isEmpty else {
          open += missing
          continue
        }
        let made: [Graph.ValueID] =
          added[ObjectIdentifier(operation)]
          ?? add(operation, operation.inputs.compactMap { places[ObjectIdentifier($0)] })
        added[ObjectIdentifier(operation)] = made
        places[key] = made[output]
        open.removeLast()
      }
    }
    graph.outputs = places[ObjectIdentifier(tensor)].map { [$0] } ?? []
  }

  /// Single numbers are constants, which kernels take in; arrays are inputs.
  private mutating func add(_ values: TensorValues, _ type: TensorType) -> Graph.ValueID {
    let array: MLMultiArray = values.array
    if type.shape.count == 1 {
      let number: Double = array[0].doubleValue
      let constant =
        type.element.isInteger
        ? ReferenceTensor(type.shape, wholes: [Int64(number)], type.element)
        : ReferenceTensor(type.shape, [number], type.element)
      return graph.addConstant(Constant(constant), name: "number")
    }
    let value: Graph.ValueID = graph.addValue("tensor \(given.count)")
    graph.inputs.append(value)
    given.append(values)
    return value
  }

  private mutating func add(
    _ made: TensorOperation, _ inputs: [Graph.ValueID]
  ) -> [Graph.ValueID] {
    let types: [OperatorInput] = made.inputs.map { OperatorInput($0.type) }
    let count: Int = (try? made.operation.outputTypes(for: types))?.count ?? 1
    let name = "\(made.operation.name) \(graph.nodes.count)"
    let outputs: [Graph.ValueID] = (0..<count).map { graph.addValue("\(name), output \($0)") }
    graph.nodes.append(
      Graph.Node(name: name, operation: made.operation, inputs: inputs, outputs: outputs))
    return outputs
  }

  /// Plans and runs the graph.
  func run() throws -> TensorValues {
    let network = Network(graph, passes: GraphPasses.standard, options: ExecutionOptions())
    let types: [TensorType] = given.map { values in
      TensorType(
        Shape(values.array.layout.shape), values.array.dataType == .int32 ? .int32 : .float32)
    }
    return try network.plan(for: types).withSession { session in
      for (index, values) in given.enumerated() {
        let port: BorderTensor = session.input(index)
        TensorTransfer.read(values.array, into: port.memory, as: port.form)
      }
      try session.run()
      let port: BorderTensor = try session.output(0)
      let made = TensorValues(type) { _ in }
      TensorTransfer.write(port.memory, as: port.form, into: made.array)
      return made
    }
  }
}
