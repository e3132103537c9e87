import Graph
import ModelFormat

/// One node while it is read: its inputs and attributes, and the graph that its operators go to.
package struct ONNXNode {
  /// The message.
  let message: ONNX.NodeProto
  /// The names around it.
  let scope: GraphScope
  /// The name in sentences: the node's own, or that of its first output.
  let name: String
  /// The attributes by name; those that refer to a function's have the caller's values.
  let attributes: [String: ONNX.AttributeProto]

  init(_ message: ONNX.NodeProto, in scope: GraphScope) throws {
    self.message = message
    self.scope = scope
    name = !message.name.isEmpty ? message.name : message.output.first { !$0.isEmpty } ?? ""
    var attributes: [String: ONNX.AttributeProto] = [:]
    for attribute in message.attribute {
      if attribute.refAttrName.isEmpty {
        attributes[attribute.name] = attribute
      } else if var given = scope.attributes[attribute.refAttrName] {
        given.name = attribute.name
        attributes[attribute.name] = given
      }
    }
    self.attributes = attributes
  }

  /// Where the operators go.
  var builder: GraphBuilder { scope.builder }

  /// Whether the operator is one of ONNX's own.
  var isStandard: Bool { message.domain.isEmpty || message.domain == "ai.onnx" }

  /// The version of the operators' set.
  var version: Int { scope.opsets[""] ?? 24 }

  /// An error that the model contradicts the definition; the operator's name goes in front.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// An error that the model asks for what cannot be computed here.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }
}

// MARK: - Inputs

extension ONNXNode {
  /// The number of inputs, those that are left out at the end aside.
  var inputCount: Int {
    (message.input.lastIndex { !$0.isEmpty }).map { $0 + 1 } ?? 0
  }

  /// Throws where a name stands for nothing.
  func requireInputs() throws {
    for name in message.input where !name.isEmpty {
      guard scope.lookup(name) != nil else {
        throw invalid(
          "it reads '\(name)', which no input and no earlier node makes; nodes must stand in an order in which they can run."
        )
      }
    }
  }

  /// What an input's name stands for.
  func value(at position: Int) throws -> ONNXValue {
    let name: String = message.input[position]
    guard let value = scope.lookup(name) else {
      throw invalid("it reads '\(name)', which no input and no earlier node makes.")
    }
    return value
  }

  /// A tensor that is given or left out.
  func optional(_ position: Int) throws -> ONNXTensor? {
    guard position < message.input.count, !message.input[position].isEmpty else { return nil }
    switch try value(at: position) {
    case .tensor(let tensor): return tensor
    case .absent: return nil
    case .sequence(let tensors):
      throw invalid(
        "input \(position + 1) is a sequence of \(tensors.count) tensors, expected a tensor.")
    case .other(let words):
      throw unsupported("input \(position + 1) is \(words), expected a tensor.")
    }
  }

  /// A tensor.
  func tensor(_ position: Int) throws -> ONNXTensor {
    guard let tensor = try optional(position) else {
      throw invalid("input \(position + 1) is missing.")
    }
    return tensor
  }

  /// A sequence.
  func sequence(_ position: Int) throws -> [ONNXTensor] {
    guard position < message.input.count, !message.input[position].isEmpty else {
      throw invalid("input \(position + 1) is missing.")
    }
    switch try value(at: position) {
    case .sequence(let tensors): return tensors
    case .other(let words):
      throw unsupported("input \(position + 1) is \(words), expected one of known length.")
    case .tensor, .absent:
      throw invalid("input \(position + 1) is a tensor, expected a sequence.")
    }
  }

  /// All inputs of an operator that takes any number.
  func tensors() throws -> [ONNXTensor] {
    guard inputCount > 0 else { throw invalid("it has no inputs.") }
    return try (0..<inputCount).map { try tensor($0) }
  }

  /// Whether an output is asked for.
  func hasOutput(_ position: Int) -> Bool {
    position < message.output.count && !message.output[position].isEmpty
  }

  /// The number of outputs that are named.
  var outputCount: Int { message.output.count }

  /// The extents of a tensor, nil for those that are free.
  func extents(_ tensor: ONNXTensor) throws -> [Int?] {
    guard let extents = builder.extents(of: tensor.id) else {
      throw unsupported(
        "the number of axes of '\(builder.graph[tensor.id].name)' is not known before the network runs."
      )
    }
    return extents
  }

  /// The number of axes of a tensor.
  func rank(_ tensor: ONNXTensor) throws -> Int { try extents(tensor).count }

  /// The extents of a tensor that must be known.
  func shape(_ tensor: ONNXTensor, _ words: String) throws -> [Int] {
    let extents: [Int?] = try extents(tensor)
    let known: [Int] = extents.compactMap { $0 }
    guard known.count == extents.count else {
      throw unsupported("the shape of \(words) is not known before the network runs.")
    }
    return known
  }

  /// The values of a tensor that depends on no input.
  ///
  /// - Throws: for more numbers than any list of sizes, axes or parameters has.
  func constant(_ tensor: ONNXTensor) throws -> ReferenceTensor? {
    guard let known = builder.constant(of: tensor.id) else { return nil }
    _ = try Shape.computed(
      known.shape.dimensions, "the list '\(builder.graph[tensor.id].name)'")
    return try known.tensor()
  }

  /// The number of elements of a vector that holds a shape, which is the rank of what has that shape; nil where it
  /// is not known.
  func rank(ofShape vector: ONNXTensor) throws -> Int? {
    guard let rank = try extents(vector).first ?? nil else { return nil }
    guard rank <= Self.largestRank else {
      throw invalid("a shape has \(rank) extents, expected at most \(Self.largestRank).")
    }
    return rank
  }

  /// More axes than any tensor has.
  static let largestRank = 64

  /// Whole numbers of an input that depends on no other; nil where it is left out or computed.
  func ints(at position: Int) throws -> [Int]? {
    try optional(position).flatMap { try constant($0) }.map { $0.reals.map(Self.whole) }
  }

  /// Whole numbers of an input that must be known.
  func knownInts(at position: Int, _ words: String) throws -> [Int]? {
    guard try optional(position) != nil else { return nil }
    guard let known = try ints(at: position) else {
      throw unsupported("\(words) is computed while the network runs, expected a constant.")
    }
    return known
  }

  /// Numbers of an input that depends on no other.
  func floats(at position: Int) throws -> [Float]? {
    try optional(position).flatMap { try constant($0) }.map { $0.reals.map { Float($0) } }
  }

  /// A real number as a whole one, kept to what any tensor can have.
  static func whole(_ value: Double) -> Int { Int(bounding: value) }

  /// An axis that may count from the end.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    let place: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(place) else {
      throw invalid(
        rank == 0
          ? "the axis is \(axis), but the input is a scalar and has no axes."
          : "the axis is \(axis), expected \(-rank) to \(rank - 1) for \(rank) axes.")
    }
    return place
  }
}

// MARK: - Attributes

extension ONNXNode {
  /// Whether an attribute is given.
  func has(_ attribute: String) -> Bool { attributes[attribute] != nil }

  /// A whole number, kept to what sizes, axes and indices can be; nil where it is left out.
  func optionalInt(_ attribute: String) -> Int? {
    attributes[attribute].map { Int(bounding: $0.i) }
  }

  /// A whole number, or another where it is left out.
  func int(_ attribute: String, or standard: Int) -> Int { optionalInt(attribute) ?? standard }

  /// A whole number that must be given.
  func int(_ attribute: String) throws -> Int {
    guard let number = optionalInt(attribute) else {
      throw invalid("the attribute '\(attribute)' is missing.")
    }
    return number
  }

  /// Whether a number is not 0.
  func flag(_ attribute: String, or standard: Bool = false) -> Bool {
    optionalInt(attribute).map { $0 != 0 } ?? standard
  }

  /// Whole numbers; nil where they are left out.
  func ints(_ attribute: String) -> [Int]? {
    attributes[attribute].map { $0.ints.map { Int(bounding: $0) } }
  }

  /// A number, or another where it is left out.
  func float(_ attribute: String, or standard: Float) -> Float {
    attributes[attribute]?.f ?? standard
  }

  /// Numbers; nil where they are left out.
  func floats(_ attribute: String) -> [Float]? { attributes[attribute]?.floats.array() }

  /// A string, or another where it is left out.
  func string(_ attribute: String, or standard: String = "") -> String {
    attributes[attribute]?.text ?? standard
  }

  /// Strings; nil where they are left out.
  func strings(_ attribute: String) -> [String]? {
    attributes[attribute].map { $0.strings.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// A graph inside of the node.
  func graph(_ attribute: String) throws -> ONNX.GraphProto {
    guard let graph = attributes[attribute]?.g else {
      throw invalid("the graph '\(attribute)' is missing.")
    }
    return graph
  }

  /// Sizes, one for each axis; another number everywhere where they are left out.
  func sizes(_ attribute: String, count: Int, least: Int = 1, or standard: Int = 1) throws -> [Int]
  {
    guard let sizes = ints(attribute) else { return [Int](repeating: standard, count: count) }
    guard sizes.count == count else {
      throw invalid("'\(attribute)' has \(sizes.count) numbers, expected \(count).")
    }
    guard let bad = sizes.first(where: { !(least...1 << 30).contains($0) }) else { return sizes }
    throw invalid("'\(attribute)' holds \(bad), expected \(least) or more.")
  }
}

extension ONNX.AttributeProto {
  /// The string.
  var text: String { String(decoding: s, as: UTF8.self) }
}
