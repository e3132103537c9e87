import Graph
import Operators

/// A graph in which the pass ``MultiplyBytes`` replaces matrix products and convolutions of quantised values. Nodes
/// keep their positions until ``finished()`` inserts the replacements.
struct ByteRewriting {
  var graph: Graph
  /// For each value, in the order of their indices, the position of the node that writes it; nil if no node writes it.
  let writers: [Int?]
  /// For each value, in the order of their indices, the positions of the nodes that read it.
  let readers: [[Int]]
  /// The outputs of the graph.
  private let outputs: Set<Graph.ValueID>
  /// For each quantised value, its scale, zero point and range.
  private(set) var quantized: [Graph.ValueID: QuantizedValue] = [:]
  /// The values that hold only integers.
  private var integerValues: Set<Graph.ValueID> = []
  /// For each base value (see ``QuantizedValue/base``), the value that holds its elements as bytes.
  private var bytes: [Graph.ValueID: Graph.ValueID] = [:]
  /// For the position of each replaced node, the nodes that replace it.
  private var replacements: [Int: [Graph.Node]] = [:]

  init(_ graph: Graph) {
    self.graph = graph
    writers = graph.writers()
    readers = graph.readers()
    outputs = Set(graph.outputs)
  }

  /// Replaces every matrix product and convolution that matches ``ByteProductPattern``. Returns whether it replaced any
  /// node.
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
    return !replacements.isEmpty
  }

  /// Returns the graph in which the replacements are in the positions of the replaced nodes.
  func finished() -> Graph {
    var result: Graph = graph
    result.nodes = graph.nodes.indices.flatMap { position in
      replacements[position] ?? [graph.nodes[position]]
    }
    return result
  }

  /// Returns the only node that reads a value. Nil if no node or several nodes read it, or if the value is an output of
  /// the graph.
  func soleReader(of value: Graph.ValueID) -> (position: Int, node: Graph.Node)? {
    guard readers[value.index].count == 1, !outputs.contains(value) else { return nil }
    let position: Int = readers[value.index][0]
    return (position, graph.nodes[position])
  }

  // MARK: - Tracking quantised values

  /// Records whether the output of a node is quantised, and whether it holds integers.
  private mutating func follow(_ node: Graph.Node) throws {
    let (input, output) = (node.inputs.first, node.outputs[0])
    guard let input else { return }
    if let clip = node.operation as? ClipOperator {
      if integerValues.contains(input), clip.byteRange != nil { integerValues.insert(output) }
      if let known = quantized[input], clip.leavesUnchanged(known) {
        quantized[output] = known
      } else if let range = clip.byteRange, integerValues.contains(input) {
        quantized[output] = QuantizedValue(base: output, scale: 1, zero: 0, range: range)
      }
      return
    }
    if (node.operation as? UnaryFunctionOperator)?.function == .round {
      integerValues.insert(output)
      // The product of a scale and its inverse may differ from 1 in the last bit.
      if var known = quantized[input], abs(known.scale - 1) < 1e-4 {
        known.scale = 1
        quantized[output] = known
      }
      return
    }
    if node.operation is RoundOperator {
      quantized[output] = quantized[input]
      if integerValues.contains(input) { integerValues.insert(output) }
      return
    }
    if let (step, source) = ScalarStep.of(node, in: graph) {
      if case .add(let number) = step, number == number.rounded(), integerValues.contains(source) {
        integerValues.insert(output)
      }
      quantized[output] = quantized[source].flatMap(step.applied)
      return
    }
    if let activation = node.operation as? ActivationOperator, case .reLU = activation.function {
      if let known = quantized[input], known.range.lowerBound >= known.zero {
        quantized[output] = known
      }
      return
    }
    try followMove(node)
  }

  /// Records the output of an operator that only moves elements of quantised inputs. The inputs must agree in scale,
  /// zero point and range, which then also apply to the output.
  private mutating func followMove(_ node: Graph.Node) throws {
    let known: [QuantizedValue] = node.inputs.enumerated().compactMap { position, input in
      node.operation.moves(position) ? quantized[input] : nil
    }
    let count: Int = node.inputs.indices.count(where: node.operation.moves)
    guard count > 0, known.count == count, node.movesQuantizedValues(known[0]),
      known.allSatisfy({ $0.agrees(with: known[0]) })
    else { return }
    var result: QuantizedValue = known[0]
    result.base = node.outputs[0]
    quantized[node.outputs[0]] = result
  }

  // MARK: - Replacing nodes

  /// Returns the value that holds the quantised elements of `known` as bytes. A byte is the integer of an element minus
  /// the lower bound of the range. If the graph does not have such a value yet, adds the nodes that compute it.
  private mutating func bytes(of known: QuantizedValue) throws -> Graph.ValueID {
    if let byteValue = bytes[known.base] { return byteValue }
    guard let position = writers[known.base.index] else {
      preconditionFailure("tracking starts at the node that makes the values")
    }
    var node: Graph.Node = graph.nodes[position]
    let byteValue: Graph.ValueID = graph.addValue(
      "\(node.name)/bytes", type: graph[known.base].type)
    bytes[known.base] = byteValue
    let least: Int = known.range.lowerBound
    if node.operation is ClipOperator {
      let clipped: Graph.ValueID = graph.addValue(
        "\(node.name)/clipped", type: graph[known.base].type)
      node.outputs = [clipped]
      let byte = Graph.Node(
        name: "\(node.name)/bytes", operation: ByteOperator(from: least), inputs: [clipped],
        outputs: [byteValue])
      replacements[position] = [
        node, byte, quantizedValues(of: byteValue, from: least, as: known.base),
      ]
      return byteValue
    }
    // The scale and the zero point of `known` may differ from those of the base value, because operators between the
    // base value and `known` may have changed them.
    guard let moved = quantized[known.base] else {
      preconditionFailure("every moved value is known to be quantised")
    }
    if let padding = node.operation as? PaddingOperator, case .constant = padding.mode {
      node.operation = PaddingOperator(
        amounts: padding.amounts, mode: .constant(Float(moved.zero - least)))
    }
    for (input, value) in node.inputs.enumerated() where node.operation.moves(input) {
      guard let source = quantized[value] else {
        preconditionFailure("every moved value is known to be quantised")
      }
      node.inputs[input] = try bytes(of: source)
    }
    node.name = "\(node.name)/bytes"
    node.outputs = [byteValue]
    replacements[position] = [node] + numbers(of: byteValue, as: moved)
    return byteValue
  }

  /// Returns the nodes that convert bytes to the real numbers of the quantised value `moved`. These numbers are for
  /// nodes that do not read bytes.
  private mutating func numbers(of bytes: Graph.ValueID, as moved: QuantizedValue) -> [Graph.Node] {
    let shift: Int = moved.range.lowerBound - moved.zero
    let name: String = graph[moved.base].name
    let steps: Graph.ValueID = graph.addValue("\(name)/steps", type: graph[moved.base].type)
    return [
      Graph.Node(
        name: "\(name)/steps", operation: BinaryFunctionOperator(.add, number: Float(shift)),
        inputs: [bytes], outputs: [steps]),
      Graph.Node(
        name: name, operation: BinaryFunctionOperator(.multiply, number: moved.scale),
        inputs: [steps], outputs: [moved.base]),
    ]
  }

  /// Returns the node that adds `least` to bytes, which gives the integers `q`. These integers are for nodes that do
  /// not read bytes.
  private func quantizedValues(of bytes: Graph.ValueID, from least: Int, as value: Graph.ValueID)
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
      try bytes(of: product.input),
      graph.addConstant(product.weights, name: "\(name)/integers"),
      graph.addConstant(
        Constant([product.factors.count], product.factors), name: "\(name)/factors"),
      graph.addConstant(Constant([product.bias.count], product.bias), name: "\(name)/bias"),
    ]
    var replacement = Graph.Node(
      name: name, operation: product.operation, inputs: inputs, outputs: node.outputs)
    guard let (last, output, range) = product.end else {
      replacements[position] = [replacement]
      return
    }
    let result: Graph.ValueID = graph.addValue("\(name)/bytes", type: graph[output].type)
    replacement.outputs = [result]
    bytes[output] = result
    replacements[last] = [
      replacement, quantizedValues(of: result, from: range.lowerBound, as: output),
    ]
  }
}

extension ClipOperator {
  /// The range of integers to which the operator clips. Nil if the bounds are not integers, or if the range has more
  /// than 256 integers.
  var byteRange: ClosedRange<Int>? {
    guard let least = Int(exactly: minimum), let greatest = Int(exactly: maximum),
      least <= greatest, greatest - least <= 255, abs(least) <= 1 << 16
    else { return nil }
    return least...greatest
  }

  /// Returns whether the clip leaves all possible elements of a quantised value unchanged.
  fileprivate func leavesUnchanged(_ known: QuantizedValue) -> Bool {
    let ends: [Float] = [known.range.lowerBound, known.range.upperBound].map {
      known.scale * Float($0 - known.zero)
    }
    return minimum <= ends[0] && ends[1] <= maximum
  }
}

extension Operator {
  /// Returns whether elements of the output may be copies of elements of this input. This is true for operators that
  /// move elements, for pooling and for upsampling.
  fileprivate func moves(_ input: Int) -> Bool {
    if self is PoolingOperator { return input == 0 }
    if self is UpsampleOperator { return input == 0 }
    return (self as? any MovingOperator)?.moves(input: input) ?? false
  }
}

extension Graph.Node {
  /// Returns whether every element of the node's output is a quantised value of the inputs: a copy of an input's
  /// element, or the number 0. The number 0 counts only if the range of the inputs contains the zero point.
  fileprivate func movesQuantizedValues(_ known: QuantizedValue) -> Bool {
    switch operation {
    case let pooling as PoolingOperator:
      return pooling.kind == .maximum && pooling.strideHeight <= pooling.kernelHeight
        && pooling.strideWidth <= pooling.kernelWidth
    case let upsampling as UpsampleOperator: return upsampling.mode == .nearest
    case let padding as PaddingOperator:
      if case .constant(let number) = padding.mode {
        return number == 0 && known.range.contains(known.zero)
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
