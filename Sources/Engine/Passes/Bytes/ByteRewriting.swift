import Graph
import Operators

/// A graph in which products of codes are being replaced. Nodes keep their positions until the end.
struct ByteRewriting {
  var graph: Graph
  let writers: [Int?]
  let readers: [[Int]]
  private let outputs: Set<Graph.ValueID>
  /// What is known of values.
  private(set) var coded: [Graph.ValueID: CodedValue] = [:]
  /// Values of whole numbers.
  private var whole: Set<Graph.ValueID> = []
  /// The bytes of codes, by their base.
  private var bytes: [Graph.ValueID: Graph.ValueID] = [:]
  /// What stands in the place of a node.
  private var replaced: [Int: [Graph.Node]] = [:]

  init(_ graph: Graph) {
    self.graph = graph
    writers = graph.writers()
    readers = graph.readers()
    outputs = Set(graph.outputs)
  }

  /// Replaces what can be; whether anything was.
  mutating func run() throws -> Bool {
    for position in graph.nodes.indices {
      let node: Graph.Node = graph.nodes[position]
      guard node.outputs.count == 1, graph[node.outputs[0]].type?.element == .float32 else {
        continue
      }
      if let product = try ByteProductPattern(node, in: self) {
        try replace(position, by: product)
      } else {
        try follow(node)
      }
    }
    return !replaced.isEmpty
  }

  /// The graph with what was replaced.
  func finished() -> Graph {
    var result: Graph = graph
    result.nodes = graph.nodes.indices.flatMap { position in
      replaced[position] ?? [graph.nodes[position]]
    }
    return result
  }

  /// The only node that reads a value, where the caller does not get it.
  func soleReader(of value: Graph.ValueID) -> (position: Int, node: Graph.Node)? {
    guard readers[value.index].count == 1, !outputs.contains(value) else { return nil }
    let position: Int = readers[value.index][0]
    return (position, graph.nodes[position])
  }

  // MARK: - What values are

  /// Notes what a node's output is.
  private mutating func follow(_ node: Graph.Node) throws {
    let (input, output) = (node.inputs.first, node.outputs[0])
    guard let input else { return }
    if let clip = node.operation as? ClipOperator {
      if whole.contains(input), clip.codes != nil { whole.insert(output) }
      if let known = coded[input], clip.keeps(known) {
        coded[output] = known
      } else if let range = clip.codes, whole.contains(input) {
        coded[output] = CodedValue(base: output, scale: 1, zero: 0, codes: range)
      }
      return
    }
    if (node.operation as? UnaryFunctionOperator)?.function == .round {
      whole.insert(output)
      // A product of a scale and its inverse is 1 but for the last bit.
      if var known = coded[input], abs(known.scale - 1) < 1e-4 {
        known.scale = 1
        coded[output] = known
      }
      return
    }
    if node.operation is RoundOperator {
      coded[output] = coded[input]
      if whole.contains(input) { whole.insert(output) }
      return
    }
    if let (step, source) = ScalarStep.of(node, in: graph) {
      if case .add(let number) = step, number == number.rounded(), whole.contains(source) {
        whole.insert(output)
      }
      coded[output] = coded[source].flatMap(step.applied)
      return
    }
    if let activation = node.operation as? ActivationOperator, case .reLU = activation.function {
      if let known = coded[input], known.codes.lowerBound >= known.zero { coded[output] = known }
      return
    }
    try followMove(node)
  }

  /// Elements that are moved keep their meaning.
  private mutating func followMove(_ node: Graph.Node) throws {
    let known: [CodedValue] = node.inputs.enumerated().compactMap { position, input in
      node.operation.moves(position) ? coded[input] : nil
    }
    let count: Int = node.inputs.indices.count(where: node.operation.moves)
    guard count > 0, known.count == count, node.movesCodes(known[0]),
      known.allSatisfy({ $0.agrees(with: known[0]) })
    else { return }
    var result: CodedValue = known[0]
    result.base = node.outputs[0]
    coded[node.outputs[0]] = result
  }

  // MARK: - What stands in their place

  /// The value that holds the codes of another one as bytes, from the least code on; made where there is none.
  private mutating func bytes(of known: CodedValue) throws -> Graph.ValueID {
    if let made = bytes[known.base] { return made }
    guard let position = writers[known.base.index] else {
      preconditionFailure("codes are followed from a node that makes them")
    }
    var node: Graph.Node = graph.nodes[position]
    let made: Graph.ValueID = graph.addValue("\(node.name)/bytes", type: graph[known.base].type)
    bytes[known.base] = made
    let least: Int = known.codes.lowerBound
    if node.operation is ClipOperator {
      let kept: Graph.ValueID = graph.addValue("\(node.name)/kept", type: graph[known.base].type)
      node.outputs = [kept]
      let byte = Graph.Node(
        name: "\(node.name)/bytes", operation: ByteOperator(from: least), inputs: [kept],
        outputs: [made])
      replaced[position] = [node, byte, codes(of: made, from: least, as: known.base)]
      return made
    }
    // What the moved value itself means: what follows it may have added to that.
    guard let own = coded[known.base] else { preconditionFailure("a move of unknown codes") }
    if let padding = node.operation as? PaddingOperator, case .constant = padding.mode {
      node.operation = PaddingOperator(
        amounts: padding.amounts, mode: .constant(Float(own.zero - least)))
    }
    for (input, value) in node.inputs.enumerated() where node.operation.moves(input) {
      guard let source = coded[value] else { preconditionFailure("a move of unknown codes") }
      node.inputs[input] = try bytes(of: source)
    }
    node.name = "\(node.name)/bytes"
    node.outputs = [made]
    replaced[position] = [node] + numbers(of: made, as: own)
    return made
  }

  /// The nodes that make the numbers of moved bytes, for readers of real numbers.
  private mutating func numbers(of bytes: Graph.ValueID, as own: CodedValue) -> [Graph.Node] {
    let shift: Int = own.codes.lowerBound - own.zero
    let name: String = graph[own.base].name
    let steps: Graph.ValueID = graph.addValue("\(name)/steps", type: graph[own.base].type)
    return [
      Graph.Node(
        name: "\(name)/steps", operation: BinaryFunctionOperator(.add, number: Float(shift)),
        inputs: [bytes], outputs: [steps]),
      Graph.Node(
        name: name, operation: BinaryFunctionOperator(.multiply, number: own.scale),
        inputs: [steps], outputs: [own.base]),
    ]
  }

  /// The node that makes codes of bytes again, for readers of real numbers.
  private func codes(of bytes: Graph.ValueID, from least: Int, as value: Graph.ValueID)
    -> Graph.Node
  {
    Graph.Node(
      name: graph[value].name, operation: BinaryFunctionOperator(.add, number: Float(least)),
      inputs: [bytes], outputs: [value])
  }

  private mutating func replace(_ position: Int, by product: ByteProductPattern) throws {
    let node: Graph.Node = graph.nodes[position]
    let name: String = node.name
    let inputs: [Graph.ValueID] = [
      try bytes(of: product.input), graph.addConstant(product.weights, name: "\(name)/codes"),
      graph.addConstant(
        Constant([product.factors.count], product.factors), name: "\(name)/factors"),
      graph.addConstant(Constant([product.bias.count], product.bias), name: "\(name)/bias"),
    ]
    var made = Graph.Node(
      name: name, operation: product.operation, inputs: inputs, outputs: node.outputs)
    guard let (last, output, range) = product.end else {
      replaced[position] = [made]
      return
    }
    let result: Graph.ValueID = graph.addValue("\(name)/bytes", type: graph[output].type)
    made.outputs = [result]
    bytes[output] = result
    replaced[last] = [made, codes(of: result, from: range.lowerBound, as: output)]
  }
}

extension ClipOperator {
  /// The whole numbers that it keeps, where those fit a byte when they are counted from the least.
  var codes: ClosedRange<Int>? {
    guard let least = Int(exactly: minimum), let greatest = Int(exactly: maximum),
      least <= greatest, greatest - least <= 255, abs(least) <= 1 << 16
    else { return nil }
    return least...greatest
  }

  /// Whether it changes nothing.
  fileprivate func keeps(_ known: CodedValue) -> Bool {
    let ends: [Float] = [known.codes.lowerBound, known.codes.upperBound].map {
      known.scale * Float($0 - known.zero)
    }
    return minimum <= ends[0] && ends[1] <= maximum
  }
}

extension Operator {
  /// Whether elements of an input are moved, or the largest of several taken.
  fileprivate func moves(_ input: Int) -> Bool {
    if self is PoolingOperator { return input == 0 }
    if self is UpsampleOperator { return input == 0 }
    return (self as? any MovingOperator)?.moves(input: input) ?? false
  }
}

extension Graph.Node {
  /// Whether the node puts codes at other places and nothing else there.
  fileprivate func movesCodes(_ known: CodedValue) -> Bool {
    switch operation {
    case let pooling as PoolingOperator:
      return pooling.kind == .maximum && pooling.strideHeight <= pooling.kernelHeight
        && pooling.strideWidth <= pooling.kernelWidth
    case let upsampling as UpsampleOperator: return upsampling.mode == .nearest
    case let padding as PaddingOperator:
      if case .constant(let number) = padding.mode {
        return number == 0 && known.codes.contains(known.zero)
      }
      return true
    case is ReshapeStaticOperator, is ReshapeOperator, is FlattenOperator, is FlattenTo2DOperator,
      is ExpandDimsOperator, is SqueezeOperator, is RankPreservingReshapeOperator,
      is TransposeOperator, is PermuteOperator, is ConcatOperator, is ConcatNDOperator,
      is SliceOperator, is SliceStaticOperator, is CropOperator:
      return true
    default: return false
    }
  }
}
