/// The types of a graph's values under the assumption that certain numbers replace the graph's free extents.
struct Probe {
  /// The known type and value of a graph's value.
  struct Fact {
    var type: TensorType
    var constant: Constant?
  }

  /// The number that replaces a free extent without bounds.
  let free: Int
  /// Whether this is the second probe. If an extent's bounds clamp the numbers of both probes to the same number, the
  /// second probe uses a different number.
  let isSecond: Bool
  /// The numbers that replace extents with names, by name.
  private(set) var extents: [String: Int]
  /// The facts known so far about the graph's values.
  var tensorInFile: [Graph.ValueID: Fact] = [:]

  init(extents: [String: Int] = [:], free: Int, isSecond: Bool = false) {
    self.extents = extents
    self.free = free
    self.isSecond = isSecond
  }

  /// The two probes with which shape inference always runs.
  static let pair: [Probe] = [Probe(free: 64), Probe(free: 96, isSecond: true)]

  /// Returns the number that replaces an extent in this probe.
  mutating func extent(for extent: Extent) -> Int {
    if let fixed = extent.fixed { return fixed }
    if let symbol = extent.symbol, let known = extents[symbol] { return known }
    let number: Int = number(from: extent.lower, to: extent.upper ?? Int.max)
    if let symbol = extent.symbol { extents[symbol] = number }
    return number
  }

  /// Returns the number that replaces an extent with these bounds. It differs between the two probes. The first probe
  /// prefers 64, and the second probe prefers 96. If the bounds clamp 64 and 96 to the same number, the second probe
  /// tries twice the lower bound, then half of the first probe's number, because networks halve and double sizes.
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

  /// Returns those inputs of a node whose types are known, in the node's order.
  func inputs(of node: Graph.Node) -> [OperatorInput] {
    node.inputs.compactMap { input in
      tensorInFile[input].map { OperatorInput($0.type, constant: $0.constant) }
    }
  }

  /// Infers a node's output types. Outputs stay unknown if their types depend on data.
  mutating func infer(_ node: Graph.Node) throws {
    guard !(node.operation is any ControlOperator) else { return }
    let known: [OperatorInput] = inputs(of: node)
    guard known.count == node.inputs.count,
      let made = try Graph.inferred(node, from: known)
    else { return }
    for (output, fact) in zip(node.outputs, made) {
      tensorInFile[output] = Fact(type: fact.type, constant: fact.constant)
    }
  }
}
