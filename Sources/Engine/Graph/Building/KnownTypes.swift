/// What is known of the values of a graph before it runs, whatever its free extents are.
///
/// The type rules are asked twice, with two different numbers in the place of each free extent.
public struct KnownTypes: Sendable {
  private var probes: [Probe]

  /// Nothing known; with those of the graph around, extents of one name are the same.
  init(inside other: KnownTypes? = nil) {
    probes = Probe.pair
    if let other {
      probes = other.probes.map {
        Probe(extents: $0.extents, free: $0.free, isSecond: $0.isSecond)
      }
    }
  }

  /// What is known of the values of a model.
  public init(of model: GraphModel) {
    self.init(of: model.graph, inputs: model.inputs)
  }

  /// What is known of the values of a graph, one feature an input.
  public init(of graph: Graph, inputs: [GraphModel.Feature]) {
    self.init()
    for (value, feature) in zip(graph.inputs, inputs) {
      state(feature.extents, feature.held, of: value)
    }
    infer(graph)
  }

  // MARK: - Answers

  /// The extents of a value, nil for those that are free; nil altogether where the rank is not known.
  public func extents(of value: Graph.ValueID) -> [Int?]? {
    let shapes: [Shape] = probes.compactMap { $0.facts[value]?.type.shape }
    guard shapes.count == probes.count, let first = shapes.first,
      shapes.allSatisfy({ $0.rank == first.rank })
    else { return nil }
    return first.dimensions.indices.map { axis in
      shapes.allSatisfy { $0[axis] == first[axis] } ? first[axis] : nil
    }
  }

  /// The type of the elements; nil where it is not known.
  public func element(of value: Graph.ValueID) -> ElementType? {
    probes.lazy.compactMap { $0.facts[value]?.type.element }.first
  }

  /// The values, where they depend on no input: constants, and small ones that are computed of them.
  public func constant(of value: Graph.ValueID) -> Constant? {
    let known: [Constant] = probes.compactMap { $0.facts[value]?.constant }
    guard known.count == probes.count, let first = known.first else { return nil }
    if known.allSatisfy({ $0 === first }) { return first }
    guard let values = try? first.tensor(),
      known.dropFirst().allSatisfy({ (try? $0.tensor()) == values })
    else { return nil }
    return first
  }

  /// Whether the values follow from the inputs' extents alone, as the shape of a value does.
  public func followsFromExtents(_ value: Graph.ValueID) -> Bool {
    probes.allSatisfy { $0.facts[value]?.constant != nil }
  }

  /// Whether all extents are known.
  func isFixed(_ value: Graph.ValueID) -> Bool {
    extents(of: value)?.allSatisfy { $0 != nil } ?? false
  }

  // MARK: - What is said

  /// Says what no type rule can tell.
  mutating func state(_ extents: [Extent]?, _ element: ElementType, of value: Graph.ValueID) {
    for index in probes.indices {
      probes[index].facts[value] = extents.map { extents in
        let shape = Shape(extents.map { probes[index].extent(for: $0) })
        return Probe.Fact(type: TensorType(shape, element))
      }
    }
  }

  /// Says what a value is.
  mutating func state(_ constant: Constant, of value: Graph.ValueID) {
    for index in probes.indices {
      probes[index].facts[value] = Probe.Fact(type: constant.type, constant: constant)
    }
  }

  // MARK: - Inferring

  /// Asks a node's type rule; gives its complaint, where it has one about the numbers in the place of free
  /// extents or about the types.
  mutating func infer(_ node: Graph.Node) -> (any Error)? {
    var faults: [any Error] = []
    for index in probes.indices {
      do { try probes[index].infer(node) } catch { faults.append(error) }
    }
    return faults.first
  }

  /// Infers what a graph makes; nodes whose rules cannot say leave their outputs unknown.
  private mutating func infer(_ graph: Graph) {
    for position in graph.values.indices {
      let value = Graph.ValueID(position)
      if let constant = graph[value].constant { state(constant, of: value) }
    }
    for node in graph.nodes {
      if let rule = node.control { infer(node, rule) } else { _ = infer(node) }
    }
  }

  /// What is known inside of a region of a node, of the facts about what the node hands on.
  public func inside(_ region: Graph.Region, of node: Graph.Node) -> KnownTypes {
    var types = KnownTypes(inside: self)
    let handed: [Graph.ValueID] = node.arguments
    for (outer, inner) in zip(handed, region.graph.inputs) {
      for index in probes.indices { types.probes[index].facts[inner] = probes[index].facts[outer] }
    }
    if case .loop? = node.control {
      // What is carried may become longer, and is another value each turn: the first turn's constants say
      // nothing about it.
      types.forgetConstants(of: region.graph.inputs.prefix(node.outputs.count))
    }
    types.infer(region.graph)
    return types
  }

  private mutating func forgetConstants(of values: ArraySlice<Graph.ValueID>) {
    for index in probes.indices {
      for value in values { probes[index].facts[value]?.constant = nil }
    }
  }

  private mutating func infer(_ node: Graph.Node, _ rule: ControlRule) {
    var made: [[TensorType?]] = []
    for region in node.regions {
      let types: KnownTypes = inside(region, of: node)
      for index in probes.indices {
        let outputs: [TensorType?] = region.graph.outputs.map {
          types.probes[index].facts[$0]?.type
        }
        if made.count <= index { made.append([]) }
        switch rule {
        case .branch where made[index].isEmpty: made[index] = outputs
        case .branch:
          made[index] = zip(made[index], outputs).map { $0 == $1 ? $0 : nil }
        default: made[index] = outputs
        }
      }
    }
    let carried: [Graph.ValueID] = node.arguments
    for index in probes.indices where made.indices.contains(index) {
      for (position, output) in node.outputs.enumerated()
      where made[index].indices.contains(position) {
        var type: TensorType? = made[index][position]
        if case .loop = rule, carried.indices.contains(position),
          probes[index].facts[carried[position]]?.type != type
        {
          type = nil
        }
        probes[index].facts[output] = type.map { Probe.Fact(type: $0) }
      }
    }
  }
}

extension Graph.Node {
  /// The inputs that a node with regions hands on to them.
  public var arguments: [Graph.ValueID] {
    switch control {
    case .branch?: Array(inputs.dropFirst())
    case .loop(let rule)?: Array(inputs.dropFirst(rule.countsByInput ? 1 : 0))
    default: []
    }
  }
}

extension GraphModel {
  /// Says of the outputs what follows from the inputs: for inputs that have got other extents.
  public mutating func inferOutputs() {
    let known = KnownTypes(of: self)
    for (position, value) in graph.outputs.enumerated() {
      outputs[position].extents = known.extents(of: value)?.map {
        $0.map { Extent($0) } ?? Extent(from: 1)
      }
      outputs[position].usual = nil
      outputs[position].choices = []
    }
  }
}
