import Graph

/// Several pointwise operators that are computed in one pass over memory. The graph pass ``JoinPointwise`` creates
/// chains.
///
/// - Inputs: the operators' inputs that come from outside the chain, broadcast against each other.
/// - Output: the output of the last operator.
public struct PointwiseChain: PointwiseOperator {
  /// An operator and the registers that it reads. Registers are numbered: first the chain's inputs, then the results of
  /// the links in order.
  public struct Link: Sendable {
    /// The operator.
    public var operation: any PointwiseOperator
    /// One register per input of the operator.
    public var operands: [Int]
  }

  /// The number of inputs.
  public let inputCount: Int
  /// The operators in order; the last one makes the output.
  public let links: [Link]

  public static let declaration = OperatorDeclaration(
    "PointwiseChain", summary: "adjacent pointwise operators in one pass")

  /// Creates a chain of links that reads this many inputs.
  public init(inputCount: Int, links: [Link]) {
    precondition(!links.isEmpty)
    self.inputCount = inputCount
    self.links = links
  }

  public func evaluate(_ operands: [Double]) -> Double {
    var registers = operands
    for link in links {
      registers.append(link.operation.evaluate(link.operands.map { registers[$0] }))
    }
    return registers[registers.count - 1]
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: inputCount)
    var registers = Array(0..<inputCount)
    for link in links {
      let operands: [Int] = link.operands.map { registers[$0] }
      let part: PointwiseProgram = link.operation.program
      registers.append(program.append(part, inputs: operands))
      program.makesBytes = part.makesBytes
    }
    return program
  }
}

extension PointwiseChain {
  /// Creates a chain with one operator.
  package init(_ operation: any PointwiseOperator, inputCount: Int) {
    self.init(
      inputCount: inputCount, links: [Link(operation: operation, operands: Array(0..<inputCount))])
  }

  /// Returns a chain that computes `first` and then `self`. The result of `first` replaces the inputs of `self` at
  /// `positions`. The new chain's inputs are those of `first`, followed by the other inputs of `self`.
  package func reading(_ first: PointwiseChain, at positions: Set<Int>) -> PointwiseChain {
    let others = (0..<inputCount).filter { !positions.contains($0) }
    let total = first.inputCount + others.count
    let shifted: [Link] = first.links.map { link in
      let operands = link.operands.map { $0 < first.inputCount ? $0 : $0 + others.count }
      return Link(operation: link.operation, operands: operands)
    }
    let result = total + first.links.count - 1
    let own: [Link] = links.map { link in
      let operands: [Int] = link.operands.map { register in
        if register >= inputCount { return result + 1 + register - inputCount }
        if positions.contains(register) { return result }
        return first.inputCount + (others.firstIndex(of: register) ?? 0)
      }
      return Link(operation: link.operation, operands: operands)
    }
    return PointwiseChain(inputCount: total, links: shifted + own)
  }
}
