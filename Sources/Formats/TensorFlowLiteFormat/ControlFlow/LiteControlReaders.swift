import Graph
import Operators

/// Operators that run other subgraphs of the model.
enum LiteControlReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("IF") { operation in
      let inputs = try operation.writtenInputs()
      guard let condition = inputs.first else {
        throw operation.invalid("the condition is missing.")
      }
      let arguments = Array(inputs.dropFirst())
      let sides = try [0, 1].map {
        try operation.region(try operation.int($0), arguments)
      }
      return try operation.run(
        BranchOperator(), [condition] + arguments, sides.map(\.region),
        sides[0].extents == sides[1].extents ? sides[0].extents : nil)
    },
    LiteOperatorReader("WHILE") { operation in
      let arguments = try operation.writtenInputs()
      let condition = try operation.region(try operation.int(0), arguments, passing: true)
      let body = try operation.region(try operation.int(1), arguments)
      return try operation.run(
        LoopOperator(LoopRule(hasCondition: true)), arguments, [condition.region, body.region],
        body.extents == arguments.map { operation.context.builder.extents(of: $0) }
          ? body.extents : nil)
    },
    // `CALL_ONCE` initialises resource variables. The format's reader does not support these variables, so `CALL_ONCE`
    // adds no operator.
    LiteOperatorReader("CALL_ONCE") { _ in [] },
  ]
}

extension LiteOperation {
  fileprivate func writtenInputs() throws -> [Graph.ValueID] {
    try (0..<inputCount).map { try written($0) }
  }

  /// Reads a subgraph of the file as a region. Returns the region and the extents of its results.
  ///
  /// - Parameter passing: Whether the region returns its arguments after the subgraph's outputs. The region of a loop's
  ///   condition must do so.
  fileprivate func region(_ index: Int, _ arguments: [Graph.ValueID], passing: Bool = false) throws
    -> (region: Graph.Region, extents: [[Int?]?])
  {
    let inner = try LiteGraphBuilder(
      context.model, subgraph: index, followsExtents: context.followsExtents, inside: context)
    guard inner.subgraph.inputs.count == arguments.count else {
      throw invalid(
        "the graph '\(inner.subgraph.name)' takes \(inner.subgraph.inputs.count) tensors, but"
          + " \(arguments.count) are given.")
    }
    var taken: [Graph.ValueID] = []
    for (tensor, argument) in zip(inner.subgraph.inputs, arguments) {
      let extents: [Extent]? = context.builder.extents(of: argument)?.map {
        $0.map { Extent($0) } ?? Extent(from: 0)
      }
      let value = inner.builder.addArgument(
        inner.name(of: tensor), extents: extents, element: element(of: argument))
      taken.append(value)
      try inner.bind(tensor, to: LiteValue(id: value))
    }
    try inner.addOperations()
    var outputs = try inner.subgraph.outputs.map { try inner.written($0) }
    let extents: [[Int?]?] = outputs.map { inner.builder.extents(of: $0) }
    if passing { outputs += taken }
    return (inner.builder.region(outputs: outputs), extents)
  }

  /// Adds the control-flow operator that runs these regions.
  fileprivate func run(
    _ operation: any ControlOperator, _ inputs: [Graph.ValueID], _ regions: [Graph.Region],
    _ extents: [[Int?]?]?
  ) throws -> [LiteResult] {
    let made = try context.builder.add(
      operation, inputs, outputs: tensorInFile.outputs.count, name: name, regions: regions)
    for (position, value) in made.enumerated() {
      let tensor: LiteModel.Tensor = context.subgraph.tensors[tensorInFile.outputs[position]]
      let known: [Int?]? = extents.flatMap { position < $0.count ? $0[position] : nil }
      context.builder.state(
        known?.map { $0.map { Extent($0) } ?? Extent(from: 0) },
        tensor.quantization == nil ? tensor.element.held : .float32, of: value)
    }
    return made.enumerated().map { position, value in
      let tensor: LiteModel.Tensor = context.subgraph.tensors[tensorInFile.outputs[position]]
      return .written(value, grid: tensor.quantization?.grid(of: tensor.element))
    }
  }
}
