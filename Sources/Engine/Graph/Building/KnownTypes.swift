/// The types and values in a graph that are known before the graph runs and that do not depend on the free extents.
///
/// Shape inference needs numbers, so it runs with two different numbers for each free extent. ``FreeDependence``
/// tracks, from operator to operator, which extents and elements depend on a free extent. A size that is computed from
/// a free extent counts as unknown, even if both numbers give the same size.
public struct KnownTypes: Sendable {
  private var probes: [Probe]
  private var dependences: [Graph.ValueID: FreeDependence] = [:]
  /// The source of each extent that has a name, by this name.
  private var symbols: [String: FreeSource] = [:]
  private var sourceCount = 0

  /// Creates an object without known facts. `other` are the known types of a surrounding graph. If an extent of this
  /// graph and an extent of the surrounding graph have the same name, the two extents are equal.
  init(inside other: KnownTypes? = nil) {
    probes = Probe.pair
    if let other {
      probes = other.probes.map {
        Probe(extents: $0.extents, free: $0.free, isSecond: $0.isSecond)
      }
      (symbols, sourceCount) = (other.symbols, other.sourceCount)
    }
  }

  /// Infers the known facts about the values of a model.
  public init(of model: GraphModel) {
    self.init(of: model.graph, inputs: model.inputs)
  }

  /// Infers the known facts about the values of a graph, with one feature per input.
  public init(of graph: Graph, inputs: [GraphModel.Feature]) {
    self.init()
    for (value, feature) in zip(graph.inputs, inputs) {
      state(feature.extents, feature.held, of: value)
    }
    infer(graph)
  }

  // MARK: - Answers

  /// Returns the extents of a value, in which a free extent is nil. Returns nil if the rank is unknown.
  public func extents(of value: Graph.ValueID) -> [Int?]? {
    let shapes: [Shape] = probes.compactMap { $0.tensorInFile[value]?.type.shape }
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

  /// Returns the element type of a value; nil if it is unknown.
  public func element(of value: Graph.ValueID) -> ElementType? {
    probes.lazy.compactMap { $0.tensorInFile[value]?.type.element }.first
  }

  /// Returns the elements of a value that depends on no input: a constant, or a small value computed from constants.
  /// Nil for other values.
  public func constant(of value: Graph.ValueID) -> Constant? {
    let known: [Constant] = probes.compactMap { $0.tensorInFile[value]?.constant }
    guard known.count == probes.count, let first = known.first else { return nil }
    return dependences[value]?.isFree == true ? nil : first
  }

  /// Returns the elements of a small vector of integers, such as a shape. An element that depends on a free extent is
  /// nil. Returns nil if the elements are not known before the network runs.
  public func elements(of value: Graph.ValueID) -> [Int?]? {
    let known: [[Double]] = probes.compactMap { probe in
      guard let constant = probe.tensorInFile[value]?.constant, constant.shape.rank == 1 else {
        return nil
      }
      return try? constant.tensor().reals
    }
    guard known.count == probes.count, let first = known.first,
      known.allSatisfy({ $0.count == first.count })
    else { return nil }
    let free: [Bool] = dependences[value]?.elements ?? []
    return first.indices.map { index in
      let isFree: Bool = free.indices.contains(index) && free[index]
      return isFree || known.contains { $0[index] != first[index] }
        ? nil : Int(bounding: first[index])
    }
  }

  /// Returns whether the elements of a value follow from the extents of the inputs, like the output of a shape
  /// operator.
  public func followsFromExtents(_ value: Graph.ValueID) -> Bool {
    probes.allSatisfy { $0.tensorInFile[value]?.constant != nil }
  }

  /// Returns whether all extents of a value are fixed.
  func isFixed(_ value: Graph.ValueID) -> Bool {
    extents(of: value)?.allSatisfy { $0 != nil } ?? false
  }

  // MARK: - Stating

  /// States the type of a value for which shape inference gives no type.
  mutating func state(_ extents: [Extent]?, _ element: ElementType, of value: Graph.ValueID) {
    dependences[value] = extents.map { FreeDependence(axes: $0.map { source(of: $0) }) }
    for index in probes.indices {
      probes[index].tensorInFile[value] = extents.map { extents in
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

  /// States that a value is a constant.
  mutating func state(_ constant: Constant, of value: Graph.ValueID) {
    dependences[value] = nil
    for index in probes.indices {
      probes[index].tensorInFile[value] = Probe.Fact(type: constant.type, constant: constant)
    }
  }

  // MARK: - Inferring

  /// Infers a node's output types. Returns an error if shape inference rejects the types of the node's inputs. If an
  /// input has free extents, the cause may be the numbers of a probe alone.
  mutating func infer(_ node: Graph.Node) -> (any Error)? {
    var faults: [any Error] = []
    for index in probes.indices {
      do { try probes[index].infer(node) } catch { faults.append(error) }
    }
    trackDependences(of: node)
    return faults.first
  }

  /// Determines which extents and elements of a node's outputs depend on free extents.
  private mutating func trackDependences(of node: Graph.Node) {
    let inputs: [[OperatorInput]] = probes.map { $0.inputs(of: node) }
    let outputs: [[Probe.Fact]] = probes.map { probe in
      node.outputs.compactMap { probe.tensorInFile[$0] }
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

  /// Infers the types of all values of a graph. Outputs whose types depend on data stay unknown.
  private mutating func infer(_ graph: Graph) {
    for position in graph.values.indices {
      let value = Graph.ValueID(position)
      if let constant = graph[value].constant { state(constant, of: value) }
    }
    for node in graph.nodes {
      if let rule = node.control { infer(node, rule) } else { _ = infer(node) }
    }
  }

  /// Returns the known facts about the values inside a region. They follow from the facts about the arguments of the
  /// region's node.
  public func inside(_ region: Graph.Region, of node: Graph.Node) -> KnownTypes {
    var types = KnownTypes(inside: self)
    let arguments: [Graph.ValueID] = node.arguments
    for (outer, inner) in zip(arguments, region.graph.inputs) {
      for index in probes.indices {
        types.probes[index].tensorInFile[inner] = probes[index].tensorInFile[outer]
      }
      types.dependences[inner] = dependences[outer]
    }
    if case .loop? = node.control {
      // A value that the loop carries may change, or get longer, in each iteration. So the value before the first
      // iteration is no constant inside the loop.
      types.forgetConstants(of: region.graph.inputs.prefix(node.outputs.count))
    }
    types.infer(region.graph)
    return types
  }

  private mutating func forgetConstants(of values: ArraySlice<Graph.ValueID>) {
    for index in probes.indices {
      for value in values { probes[index].tensorInFile[value]?.constant = nil }
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
          types.probes[index].tensorInFile[$0]?.type
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
          probes[index].tensorInFile[carried[position]]?.type != type
        {
          type = nil
        }
        probes[index].tensorInFile[output] = type.map { Probe.Fact(type: $0) }
      }
    }
    for (output, var dependence) in zip(node.outputs, free) {
      dependence?.elements = []
      dependences[output] = dependence
    }
  }
}

extension Graph.Node {
  /// The inputs that a node passes to its regions.
  public var arguments: [Graph.ValueID] {
    switch control {
    case .branch?: Array(inputs.dropFirst())
    case .loop(let rule)?: Array(inputs.dropFirst(rule.countsByInput ? 1 : 0))
    default: []
    }
  }
}

extension GraphModel {
  /// Infers the extents of the outputs again, after the extents of the inputs have changed.
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
