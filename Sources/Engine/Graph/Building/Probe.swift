/// The types of a graph's values with one set of numbers in the place of its free extents.
struct Probe {
  /// What is known of a value.
  struct Fact {
    var type: TensorType
    var constant: Constant?
  }

  /// The number that stands for a free extent without bounds.
  let free: Int
  /// The numbers that stand for extents with names.
  private(set) var extents: [String: Int]
  /// What is known so far.
  var facts: [Graph.ValueID: Fact] = [:]

  init(extents: [String: Int] = [:], free: Int) {
    self.extents = extents
    self.free = free
  }

  /// The number that stands for an extent.
  mutating func extent(for extent: Extent) -> Int {
    if let fixed = extent.fixed { return fixed }
    if let symbol = extent.symbol, let known = extents[symbol] { return known }
    let number: Int = min(max(free, extent.lower), extent.upper ?? Int.max)
    if let symbol = extent.symbol { extents[symbol] = number }
    return number
  }

  /// Asks a node's type rule; what it makes stays unknown where the rule cannot say.
  mutating func infer(_ node: Graph.Node) throws {
    guard !(node.operation is any ControlOperator) else { return }
    let known: [OperatorInput] = node.inputs.compactMap { input in
      facts[input].map { OperatorInput($0.type, constant: $0.constant) }
    }
    guard known.count == node.inputs.count,
      let made = try Graph.inferred(node, from: known)
    else { return }
    for (output, fact) in zip(node.outputs, made) {
      facts[output] = Fact(type: fact.type, constant: fact.constant)
    }
  }
}
