import Graph
import ModelFormat

/// A node of the model that is being read: the node's inputs and attributes, and the scope that contains the node.
package struct ONNXNode {
  /// The node's message.
  let message: ONNX.NodeProto
  /// The names that the node can refer to, with their values.
  let scope: GraphScope
  /// The node's name in messages. A node without a name has the name of its first output.
  let name: String
  /// The attributes by name. If an attribute refers to an attribute of the enclosing function, its value is the one
  /// that the function's caller states.
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

  /// The builder that gets the operators.
  var builder: GraphBuilder { scope.builder }

  /// Whether the operator belongs to ONNX's own domain.
  var isStandard: Bool { message.domain.isEmpty || message.domain == "ai.onnx" }

  /// The version of the standard opset in this scope: 24 if the model states none.
  var version: Int { scope.opsets[""] ?? 24 }

  /// Returns an error for a model that contradicts ONNX's specification of the operator. `sentence` says how. The scope
  /// adds the operator's name before the sentence.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// Returns an error for a model that needs something Atelier cannot compute. `sentence` says what.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }
}

// MARK: - Inputs

extension ONNXNode {
  /// The number of inputs. Omitted inputs at the end do not count.
  var inputCount: Int {
    (message.input.lastIndex { !$0.isEmpty }).map { $0 + 1 } ?? 0
  }

  /// Throws if an input has a name that nothing defines.
  func requireInputs() throws {
    for name in message.input where !name.isEmpty {
      guard scope.lookup(name) != nil else {
        throw invalid(
          "it reads '\(name)', which no input and no earlier node makes; sort the nodes in the order in which they run."
        )
      }
    }
  }

  /// Returns the value of an input.
  func value(at position: Int) throws -> ONNXValue {
    let name: String = message.input[position]
    guard let value = scope.lookup(name) else {
      throw invalid("it reads '\(name)', which no input and no earlier node makes.")
    }
    return value
  }

  /// Returns the tensor of an input. Nil if the input is omitted.
  func optional(_ position: Int) throws -> ONNXTensor? {
    guard position < message.input.count, !message.input[position].isEmpty else { return nil }
    switch try value(at: position) {
    case .tensor(let tensor): return tensor
    case .absent: return nil
    case .sequence(let tensors):
      throw invalid(
        "input \(position + 1) is a sequence of \(tensors.count) tensors, expected a tensor.")
    case .other(let description):
      throw unsupported("input \(position + 1) is \(description), expected a tensor.")
    }
  }

  /// Returns the tensor of a required input.
  func tensor(_ position: Int) throws -> ONNXTensor {
    guard let tensor = try optional(position) else {
      throw invalid("input \(position + 1) is missing.")
    }
    return tensor
  }

  /// Returns the sequence of a required input.
  func sequence(_ position: Int) throws -> [ONNXTensor] {
    guard position < message.input.count, !message.input[position].isEmpty else {
      throw invalid("input \(position + 1) is missing.")
    }
    switch try value(at: position) {
    case .sequence(let tensors): return tensors
    case .other(let description):
      throw unsupported("input \(position + 1) is \(description), expected one of known length.")
    case .tensor, .absent:
      throw invalid("input \(position + 1) is a tensor, expected a sequence.")
    }
  }

  /// Returns the tensors of all inputs, for operators with any number of inputs.
  func tensors() throws -> [ONNXTensor] {
    guard inputCount > 0 else { throw invalid("it has no inputs.") }
    return try (0..<inputCount).map { try tensor($0) }
  }

  /// Returns whether the node has a name for an output. An output without a name is not needed.
  func hasOutput(_ position: Int) -> Bool {
    position < message.output.count && !message.output[position].isEmpty
  }

  /// The number of outputs that the node lists.
  var outputCount: Int { message.output.count }

  /// Returns the extents of a tensor. A dynamic extent is nil. Throws if the rank is unknown.
  func extents(_ tensor: ONNXTensor) throws -> [Int?] {
    guard let extents = builder.extents(of: tensor.id) else {
      throw unsupported(
        "the number of axes of '\(builder.graph[tensor.id].name)' is not known before the network runs."
      )
    }
    return extents
  }

  /// Returns the number of axes of a tensor.
  func rank(_ tensor: ONNXTensor) throws -> Int { try extents(tensor).count }

  /// Returns the extents of a tensor. Throws if one of them is unknown.
  func shape(_ tensor: ONNXTensor, _ description: String) throws -> [Int] {
    let extents: [Int?] = try extents(tensor)
    return try extents.enumerated().map { axis, extent in
      guard let extent else { throw unknownExtent(ofAxis: axis, of: description) }
      return extent
    }
  }

  /// Returns the values of a tensor if they do not depend on an input of the model. Nil for other tensors.
  ///
  /// - Throws: If the tensor has more numbers than a list of sizes, axes or parameters can have.
  func constant(_ tensor: ONNXTensor) throws -> ReferenceTensor? {
    guard let known = builder.constant(of: tensor.id) else { return nil }
    _ = try Shape.computed(
      known.shape.dimensions, "the list '\(builder.graph[tensor.id].name)'")
    return try known.tensor()
  }

  /// Returns the rank of a tensor whose shape is the content of a vector. The rank is the number of the vector's
  /// elements. Nil if that number is not known.
  func rank(ofShape vector: ONNXTensor) throws -> Int? {
    guard let rank = try extents(vector).first ?? nil else { return nil }
    guard rank <= Self.largestRank else {
      throw invalid("a shape has \(rank) extents, expected at most \(Self.largestRank).")
    }
    return rank
  }

  /// The largest rank. No tensor has more axes.
  static let largestRank = 64

  /// Returns the integers of a constant input. Nil if the input is omitted, or computed at run time.
  func ints(at position: Int) throws -> [Int]? {
    try optional(position).flatMap { try constant($0) }.map { $0.reals.map(Self.integer) }
  }

  /// Returns the integers of a constant input. Nil if the input is omitted. Throws if it is computed at run time.
  func knownInts(at position: Int, _ description: String) throws -> [Int]? {
    guard try optional(position) != nil else { return nil }
    guard let known = try ints(at: position) else {
      throw unsupported("\(description) is computed while the network runs, expected a constant.")
    }
    return known
  }

  /// Returns the numbers of a constant input. Nil if the input is omitted, or computed at run time.
  func floats(at position: Int) throws -> [Float]? {
    try optional(position).flatMap { try constant($0) }.map { $0.reals.map { Float($0) } }
  }

  /// Returns a real number as an integer. The integer is clamped to the range of extents.
  static func integer(_ value: Double) -> Int { Int(bounding: value) }

  /// Returns an axis as a non-negative number. A negative `axis` counts back from the last axis.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(resolved) else {
      throw invalid(
        rank == 0
          ? "the axis is \(axis), but the input is a scalar and has no axes."
          : "the axis is \(axis), expected \(-rank) to \(rank - 1) for \(rank) axes.")
    }
    return resolved
  }
}

// MARK: - Attributes

extension ONNXNode {
  /// Returns whether the node has an attribute.
  func has(_ attribute: String) -> Bool { attributes[attribute] != nil }

  /// Returns an integer, clamped to the range of sizes, axes and indices. Nil if the attribute is omitted.
  func optionalInt(_ attribute: String) -> Int? {
    attributes[attribute].map { Int(bounding: $0.i) }
  }

  /// Returns an integer, or `standard` if the attribute is omitted.
  func int(_ attribute: String, or standard: Int) -> Int { optionalInt(attribute) ?? standard }

  /// Returns a required integer.
  func int(_ attribute: String) throws -> Int {
    guard let number = optionalInt(attribute) else {
      throw invalid("the attribute '\(attribute)' is missing.")
    }
    return number
  }

  /// Returns whether an integer attribute is other than 0. Returns `standard` if the attribute is omitted.
  func flag(_ attribute: String, or standard: Bool = false) -> Bool {
    optionalInt(attribute).map { $0 != 0 } ?? standard
  }

  /// Returns a list of integers. Nil if the attribute is omitted.
  func ints(_ attribute: String) -> [Int]? {
    attributes[attribute].map { $0.ints.map { Int(bounding: $0) } }
  }

  /// Returns a number, or `standard` if the attribute is omitted.
  func float(_ attribute: String, or standard: Float) -> Float {
    attributes[attribute]?.f ?? standard
  }

  /// Returns a list of numbers. Nil if the attribute is omitted.
  func floats(_ attribute: String) -> [Float]? { attributes[attribute]?.floats.array() }

  /// Returns a string, or `standard` if the attribute is omitted.
  func string(_ attribute: String, or standard: String = "") -> String {
    attributes[attribute]?.text ?? standard
  }

  /// Returns a list of strings. Nil if the attribute is omitted.
  func strings(_ attribute: String) -> [String]? {
    attributes[attribute].map { $0.strings.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Returns the graph of a required attribute.
  func graph(_ attribute: String) throws -> ONNX.GraphProto {
    guard let graph = attributes[attribute]?.g else {
      throw invalid("the graph '\(attribute)' is missing.")
    }
    return graph
  }

  /// Returns sizes, one per axis. If the attribute is omitted, all sizes are `standard`.
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
  /// The attribute's value as a string.
  var text: String { String(decoding: s, as: UTF8.self) }
}
