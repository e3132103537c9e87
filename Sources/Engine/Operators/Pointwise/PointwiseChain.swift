import Graph

/// Several pointwise operators computed in one pass over memory, as ``JoinPointwise`` makes them.
///
/// - Inputs: those of the operators that come from elsewhere, broadcast against each other.
/// - Output: that of the last one.
public struct PointwiseChain: PointwiseOperator {
  /// An operator and the registers that it reads: the chain's inputs first, then the results of the
  /// links in their order.
  public struct Link: Sendable {
    /// What the link computes.
    public var operation: any PointwiseOperator
    /// One register an input of the operator.
    public var operands: [Int]
  }

  /// The number of inputs.
  public let inputCount: Int
  /// The operators in their order; the last one makes the output.
  public let links: [Link]

  public static let declaration = OperatorDeclaration(
    "PointwiseChain", summary: "neighbouring pointwise operators in one pass")

  /// A chain over inputs.
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
  /// A chain of one.
  package init(_ operation: any PointwiseOperator, inputCount: Int) {
    self.init(
      inputCount: inputCount, links: [Link(operation: operation, operands: Array(0..<inputCount))])
  }

  /// The chain that computes `first` and then `self`, which reads its result in place of the inputs
  /// at `positions`. Inputs of the whole: those of `first`, then the others of `self`.
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
