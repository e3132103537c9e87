import Graph
import ModelFormat
import Operators

/// The names of one graph. The graph is a model's graph, a graph inside of a node, or the expansion of a function.
///
/// A graph that becomes a region has its own builder. If such a graph does not define a name, the enclosing scope
/// provides the name's value. A constant is copied into the region. Any other value becomes an argument of the region.
/// Functions, and branches with a known condition, are built in place of their node.
package final class GraphScope {
  /// The builder that gets the operators of the graph.
  let builder: GraphBuilder
  /// The context that all nodes of the model share.
  let context: ModelContext
  /// The version of each operator set, by domain.
  let opsets: [String: Int]
  /// If the graph is the expansion of a function: the attributes of the node that calls the function, by name.
  let attributes: [String: ONNX.AttributeProto]
  /// The number of graphs and functions around this graph.
  let depth: Int
  private let parent: GraphScope?
  private var names: [String: ONNXValue] = [:]
  /// The values that a region captures from outside, in order of first use.
  private(set) var captures: [(name: String, inner: Graph.ValueID)] = []

  /// The largest number of graphs and functions around a graph.
  static let depthLimit = 64

  /// Makes the scope of a model's graph.
  init(_ builder: GraphBuilder, _ context: ModelContext, opsets: [String: Int]) {
    self.builder = builder
    self.context = context
    self.opsets = opsets
    attributes = [:]
    depth = 1
    parent = nil
  }

  /// Makes the scope of a graph inside of a node.
  ///
  /// - Parameter builder: The builder of a region. If nil, the graph is built in place, with the parent's builder.
  init(inside parent: GraphScope, builder: GraphBuilder?) throws {
    self.builder = builder ?? parent.builder
    context = parent.context
    opsets = parent.opsets
    attributes = parent.attributes
    depth = parent.depth + 1
    self.parent = parent
    try requireDepth()
  }

  /// Makes the scope of a function that a node calls. The function does not see the names of the calling graph.
  init(
    of caller: GraphScope, opsets: [String: Int], attributes: [String: ONNX.AttributeProto]
  ) throws {
    builder = caller.builder
    context = caller.context
    self.opsets = opsets
    self.attributes = attributes
    depth = caller.depth + 1
    parent = nil
    try requireDepth()
  }

  private func requireDepth() throws {
    guard depth <= Self.depthLimit else {
      throw EngineError(
        .invalidModel,
        "graphs and functions are nested more than \(Self.depthLimit) deep.")
    }
  }

  // MARK: - Names

  /// Binds a name to a value.
  func bind(_ name: String, to value: ONNXValue) { names[name] = value }

  /// Returns the value of a name. Nil if no earlier node or enclosing scope defines the name.
  func lookup(_ name: String) -> ONNXValue? {
    if let known = names[name] { return known }
    guard let parent, let outer = parent.lookup(name) else { return nil }
    guard parent.builder !== builder else { return outer }
    switch outer {
    case .tensor(let tensor): names[name] = .tensor(taken(tensor, name, from: parent))
    case .sequence(let tensors):
      // The region captures each tensor of a sequence under a unique name, which no model can contain.
      let inner: [ONNXTensor] = tensors.enumerated().map { position, tensor in
        let own = "\(name)\n\(position)"
        parent.bind(own, to: .tensor(tensor))
        return taken(tensor, own, from: parent)
      }
      names[name] = .sequence(inner)
    case .other, .absent: return outer
    }
    return names[name]
  }

  /// Captures a tensor of the enclosing scope, so that it is available in this region.
  private func taken(_ tensor: ONNXTensor, _ name: String, from parent: GraphScope) -> ONNXTensor {
    var inner: ONNXTensor = tensor
    if let constant = parent.builder.constant(of: tensor.id) {
      inner.id = builder.addConstant(constant, name: name)
    } else {
      inner.id = builder.addArgument(
        name, extents: parent.builder.openExtents(of: tensor.id),
        element: tensor.element.heldFromONNX)
      captures.append((name, inner.id))
    }
    return inner
  }

  /// Returns the tensor that has this name. If no tensor has it, the error calls the name an output of the graph.
  func output(_ name: String) throws -> ONNXTensor {
    switch lookup(name) {
    case .tensor(let tensor)?: return tensor
    case .sequence?:
      throw EngineError(.unsupported, "the output '\(name)' is a sequence, expected a tensor.")
    case .other(let description)?:
      throw EngineError(.unsupported, "the output '\(name)' is \(description), expected a tensor.")
    case .absent?, nil:
      throw EngineError(
        .invalidModel, "no node of the graph makes the output '\(name)'.")
    }
  }

  // MARK: - Building

  /// Adds the constants of a graph, and then the graph's nodes.
  func add(_ graph: ONNX.GraphProto) throws {
    guard graph.sparseInitializer.isEmpty else {
      throw EngineError(
        .unsupported, "the graph '\(graph.name)' has sparse constants; store them as dense ones.")
    }
    for tensor in graph.initializer { bind(tensor.name, to: try constant(tensor)) }
    try add(graph.node)
  }

  /// Adds a constant. If the constant's type is not supported, only nodes that read the constant throw.
  func constant(_ tensor: ONNX.TensorProto) throws -> ONNXValue {
    do {
      let constant: ONNXConstant = try tensor.constant(in: context)
      return .tensor(
        ONNXTensor(
          builder.addConstant(constant.constant, name: tensor.name), constant.element))
    } catch let error as EngineError where error.code == .unsupported {
      return .other("a constant that cannot be read: \(error.message)")
    }
  }

  /// Adds nodes in the order of the list.
  func add(_ nodes: [ONNX.NodeProto]) throws {
    for message in nodes {
      let node = try ONNXNode(message, in: self)
      let outer: Graph.Node.Origin? = builder.origin
      defer { builder.origin = outer }
      builder.origin = Graph.Node.Origin(kind: message.opType, name: node.name)
      do {
        try add(node)
      } catch let error as EngineError {
        throw error.naming(message.opType, node.name)
      } catch let error as ModelFormatError {
        throw EngineError(.invalidModel, "\(message.opType) '\(node.name)': \(error.message)")
      }
    }
  }

  private func add(_ node: ONNXNode) throws {
    if let function = context.function(of: node.message) { return try expand(function, node) }
    guard let reader = node.isStandard ? context.catalog[node.message.opType] : nil else {
      throw EngineError(
        .unsupported,
        node.isStandard
          ? "operators of this type are not supported; Documentation/ONNX.md lists those that are."
          : "operators of the domain '\(node.message.domain)' are not supported, expected those of ONNX itself."
      )
    }
    try node.requireInputs()
    try node.requireKnownForm()
    let results: [ONNXValue] = try reader.read(node)
    for (position, name) in node.message.output.enumerated() where !name.isEmpty {
      guard position < results.count else {
        names[name] = .other("an output of \(node.message.opType) that is not computed")
        continue
      }
      guard case .tensor(let tensor) = results[position] else {
        names[name] = results[position]
        continue
      }
      let value: Graph.ValueID = try rounded(tensor, reader.rounding, name: name)
      if builder.graph.nodes.last?.outputs.contains(value) == true {
        builder.rename(value, to: name)
      }
      names[name] = .tensor(ONNXTensor(value, tensor.element))
    }
  }

  /// Rounds a node's result to the result's type in the model.
  private func rounded(_ tensor: ONNXTensor, _ rounding: NodeReader.Rounding, name: String) throws
    -> Graph.ValueID
  {
    guard rounding == .computed, tensor.element.isRounded,
      builder.graph[tensor.id].constant == nil
    else { return tensor.id }
    return try builder.add(RoundOperator(to: tensor.element), tensor.id, name: name)
  }

  /// Adds the nodes of a function in place of the node that calls the function.
  private func expand(_ function: ONNX.FunctionProto, _ node: ONNXNode) throws {
    var given: [String: ONNX.AttributeProto] = [:]
    for attribute in function.attributeProto { given[attribute.name] = attribute }
    let declared = Set(function.attribute).union(given.keys)
    for attribute in node.attributes.values {
      guard declared.contains(attribute.name) else {
        throw node.invalid(
          "it has the attribute '\(attribute.name)', which the function '\(function.name)' does not declare."
        )
      }
      given[attribute.name] = attribute
    }
    let opsets: [String: Int] =
      function.opsetImport.isEmpty ? self.opsets : function.opsetImport.versions
    let scope = try GraphScope(of: self, opsets: opsets, attributes: given)
    for (position, name) in function.input.enumerated() {
      let outer: String = position < node.message.input.count ? node.message.input[position] : ""
      scope.bind(name, to: outer.isEmpty ? .absent : try node.value(at: position))
    }
    try scope.add(function.node)
    for (name, inner) in zip(node.message.output, function.output) where !name.isEmpty {
      guard let value = scope.lookup(inner) else {
        throw EngineError(
          .invalidModel, "the function returns '\(inner)', which none of its nodes makes.")
      }
      names[name] = value
    }
  }
}

extension [ONNX.OperatorSetIdProto] {
  /// The version of each operator set, by domain.
  var versions: [String: Int] {
    var result: [String: Int] = [:]
    for set in self {
      result[set.domain == "ai.onnx" ? "" : set.domain] = Int(clamping: set.version)
    }
    return result
  }
}

extension GraphBuilder {
  /// Returns the extents of a value as an argument of a region. Unknown extents are dynamic. Nil if the rank is
  /// unknown.
  func openExtents(of value: Graph.ValueID) -> [Extent]? {
    extents(of: value)?.map { $0.map { Extent($0) } ?? Extent(from: 0) }
  }
}
