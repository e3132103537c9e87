/// What is known of the values of a graph before it runs, whatever its free extents are.
///
/// Type rules take numbers, so they are asked with two different numbers in the place of each free extent.
/// What depends on a free extent is tracked from operator to operator (``FreeDependence``): a size that is
/// computed of a free extent is not known, even where both numbers give the same.
public struct KnownTypes: Sendable {
  private var probes: [Probe]
  private var dependences: [Graph.ValueID: FreeDependence] = [:]
  /// The sources of extents with names.
  private var symbols: [String: FreeSource] = [:]
  private var sourceCount = 0

  /// Nothing known; with those of the graph around, extents of one name are the same.
  init(inside other: KnownTypes? = nil) {
    probes = Probe.pair
    if let other {
      probes = other.probes.map {
        Probe(extents: $0.extents, free: $0.free, isSecond: $0.isSecond)
      }
      (symbols, sourceCount) = (other.symbols, other.sourceCount)
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
    let free: [FreeSource?] = dependence(of: value, rank: first.rank).axes
    return first.dimensions.indices.map { free[$0] == nil ? first[$0] : nil }
  }

  private func dependence(of value: Graph.ValueID, rank: Int) -> FreeDependence {
    guard let known = dependences[value], known.axes.count == rank else { return .none(rank: rank) }
    return known
  }

  /// The type of the elements; nil where it is not known.
  public func element(of value: Graph.ValueID) -> ElementType? {
    probes.lazy.compactMap { $0.facts[value]?.type.element }.first
  }

  /// The values, where they depend on no input: constants, and small ones that are computed of them.
  public func constant(of value: Graph.ValueID) -> Constant? {
    let known: [Constant] = probes.compactMap { $0.facts[value]?.constant }
    guard known.count == probes.count, let first = known.first else { return nil }
    return dependences[value]?.isFree == true ? nil : first
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
    dependences[value] = extents.map { FreeDependence(axes: $0.map { source(of: $0) }) }
    for index in probes.indices {
      probes[index].facts[value] = extents.map { extents in
        let shape = Shape(extents.map { probes[index].extent(for: $0) })
        return Probe.Fact(type: TensorType(shape, element))
      }
    }
  }

  private mutating func source(of extent: Extent) -> FreeSource? {
    guard extent.fixed == nil else { return nil }
    if let symbol = extent.symbol, let known = symbols[symbol] { return known }
    let upper: Int = max(extent.lower, extent.upper ?? Int.max)
    let source = FreeSource(number: newSource(), lower: extent.lower, upper: upper)
    if let symbol = extent.symbol { symbols[symbol] = source }
    return source
  }

  private mutating func newSource() -> Int {
    sourceCount += 1
    return sourceCount
  }

  /// Says what a value is.
  mutating func state(_ constant: Constant, of value: Graph.ValueID) {
    dependences[value] = nil
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
    trackDependences(of: node)
    return faults.first
  }

  /// Finds what of a node's outputs depends on free extents.
  private mutating func trackDependences(of node: Graph.Node) {
    let inputs: [[OperatorInput]] = probes.map { $0.inputs(of: node) }
    let outputs: [[Probe.Fact]] = probes.map { probe in node.outputs.compactMap { probe.facts[$0] }
    }
    guard inputs.allSatisfy({ $0.count == node.inputs.count }),
      outputs.allSatisfy({ $0.count == node.outputs.count })
    else { return }
    let known: [FreeDependence] = zip(node.inputs, inputs[0]).map {
      dependence(of: $0, rank: $1.shape.rank)
    }
    let probed = ProbedNode(node: node, inputs: inputs, outputs: outputs, dependences: known)
    var count: Int = sourceCount
    let made: [FreeDependence] = probed.outputDependences {
      count += 1
      return count
    }
    sourceCount = count
    for (output, dependence) in zip(node.outputs, made) {
      dependences[output] = dependence.isFree ? dependence : nil
    }
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
      types.dependences[inner] = dependences[outer]
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
    for value in values { dependences[value]?.elements = [] }
  }

  private mutating func infer(_ node: Graph.Node, _ rule: ControlRule) {
    var made: [[TensorType?]] = []
    var free: [FreeDependence?] = []
    for region in node.regions {
      let types: KnownTypes = inside(region, of: node)
      sourceCount = max(sourceCount, types.sourceCount)
      let dependences: [FreeDependence?] = region.graph.outputs.map { types.dependences[$0] }
      switch rule {
      case .branch where !free.isEmpty: free = zip(free, dependences).map { $0 ?? $1 }
      default: free = dependences
      }
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
    for (output, var dependence) in zip(node.outputs, free) {
      dependence?.elements = []
      dependences[output] = dependence
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
