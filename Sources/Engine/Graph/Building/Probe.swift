/// The types of a graph's values with one set of numbers in the place of its free extents.
struct Probe {
  /// What is known of a value.
  struct Fact {
    var type: TensorType
    var constant: Constant?
  }

  /// The number that stands for a free extent without bounds.
  let free: Int
  /// Whether it is the second: where bounds leave both no choice, this one takes another number.
  let isSecond: Bool
  /// The numbers that stand for extents with names.
  private(set) var extents: [String: Int]
  /// What is known so far.
  var facts: [Graph.ValueID: Fact] = [:]

  init(extents: [String: Int] = [:], free: Int, isSecond: Bool = false) {
    self.extents = extents
    self.free = free
    self.isSecond = isSecond
  }

  /// The two that are asked of everything.
  static let pair: [Probe] = [Probe(free: 64), Probe(free: 96, isSecond: true)]

  /// The number that stands for an extent.
  mutating func extent(for extent: Extent) -> Int {
    if let fixed = extent.fixed { return fixed }
    if let symbol = extent.symbol, let known = extents[symbol] { return known }
    let number: Int = number(from: extent.lower, to: extent.upper ?? Int.max)
    if let symbol = extent.symbol { extents[symbol] = number }
    return number
  }

  /// A number within bounds, another one in either probe; round ones, as sizes are halved and doubled.
  private func number(from lower: Int, to upper: Int) -> Int {
    let first: Int = min(max(64, lower), upper)
    guard isSecond else { return first }
    let second: Int = min(max(free, lower), upper)
    if second != first { return second }
    let (double, overflow) = lower.multipliedReportingOverflow(by: 2)
    if !overflow, double > first, double <= upper { return double }
    if first / 2 >= lower, first > 1 { return first / 2 }
    return first > lower ? first - 1 : first + 1
  }

  /// The inputs of a node that are known, in their order.
  func inputs(of node: Graph.Node) -> [OperatorInput] {
    node.inputs.compactMap { input in
      facts[input].map { OperatorInput($0.type, constant: $0.constant) }
    }
  }

  /// Asks a node's type rule; what it makes stays unknown where the rule cannot say.
  mutating func infer(_ node: Graph.Node) throws {
    guard !(node.operation is any ControlOperator) else { return }
    let known: [OperatorInput] = inputs(of: node)
    guard known.count == node.inputs.count,
      let made = try Graph.inferred(node, from: known)
    else { return }
    for (output, fact) in zip(node.outputs, made) {
      facts[output] = Fact(type: fact.type, constant: fact.constant)
    }
  }
}
