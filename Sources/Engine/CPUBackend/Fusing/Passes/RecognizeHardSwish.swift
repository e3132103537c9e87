import Graph
import Operators
import Passes

/// Recognises hard swishes in the operators that readers make of them, and replaces each by one operator, which
/// ``FuseActivation`` fuses into the convolution before it.
///
///     x ─┬─────────────────────────────── product            hard swish(x)
///        └─ x + 3 ─ clip to 0…6 ─ 1 / 6 ─────┘
///
/// Converters write this function in many ways: with a hard sigmoid or a clip, with the factor before, between or after
/// the others, with a threshold below which x is 0, or as one formula.
///
/// In a float16 program there is a rounding after each operation. Only the form with a hard sigmoid is replaced there,
/// because the single operator rounds its gate alone.
public enum RecognizeHardSwish: GraphPass {
  public static let name = "RecognizeHardSwish"

  public static func run(on graph: inout Graph) throws {
    let matcher = HardSwishMatcher(connected: ConnectedGraph(graph))
    try graph.replace(matcher.match)
  }
}

/// A function of one number: `min(max(scale · x + shift, lower), upper)`.
private struct ClippedLine {
  var scale: Double = 1
  var shift: Double = 0
  var lower = -Double.infinity
  var upper = Double.infinity
  /// If x is below this number, the function takes 0 instead of x.
  var threshold: Double?

  /// Whether nothing is clipped or added.
  var isFactor: Bool { shift == 0 && lower == -.infinity && upper == .infinity }

  /// Returns `factor · f(x) + number`. Nil if the factor is not above 0.
  func mapped(by factor: Double, plus number: Double) -> ClippedLine? {
    guard factor > 0, factor.isFinite, number.isFinite else { return nil }
    var result: ClippedLine = self
    result.scale *= factor
    result.shift = shift * factor + number
    result.lower = lower * factor + number
    result.upper = upper * factor + number
    return result
  }

  /// Returns `min(max(f(x), least), greatest)`. Nil if the bounds are no interval.
  func clipped(_ least: Double, _ greatest: Double) -> ClippedLine? {
    guard least <= greatest else { return nil }
    var result: ClippedLine = self
    result.lower = min(max(lower, least), greatest)
    result.upper = min(max(upper, least), greatest)
    return result
  }

  /// Returns the hard swish that is this function times `factor · gate(x)`. Nil if the product is another function.
  func hardSwish(with gate: ClippedLine, factor: Double) -> HardSwish? {
    let all: Double = scale * factor
    guard isFactor, gate.lower == 0, abs(gate.upper * all - 1) < 1e-5, gate.scale > 0 else {
      return nil
    }
    let (alpha, beta) = (gate.scale * all, gate.shift * all)
    if threshold != nil || gate.threshold != nil {
      // Where the threshold has an effect, the gate must be 0 in any case.
      guard let threshold, gate.threshold ?? threshold == threshold,
        abs(alpha * threshold + beta) < 1e-5
      else { return nil }
    }
    let result = HardSwish(alpha: Float(alpha), beta: Float(beta))
    let standard = HardSwish.standard
    let isStandard: Bool =
      abs(result.alpha - standard.alpha) < 1e-6 && abs(result.beta - standard.beta) < 1e-6
    return isStandard ? standard : result
  }
}

/// Matches hard swishes. Begins at the last operator and ends at the input.
private struct HardSwishMatcher {
  let connected: ConnectedGraph
  private var graph: Graph { connected.graph }

  /// Returns the hard swish whose last operator is the node at a position. Nil for other nodes.
  func match(at position: Int) -> PatternMatch<HardSwish>? {
    guard let (operation, input) = hardSwish(graph.nodes[position]) else { return nil }
    return PatternMatch(operation: operation, inputs: [input], position: position)
  }

  /// Returns the hard swish whose last operator is a node, and the hard swish's input. Nil for other nodes.
  func hardSwish(_ node: Graph.Node) -> (HardSwish, Graph.ValueID)? {
    guard node.outputs.count == 1, connected.isFloat32(node.outputs[0]) else { return nil }
    var found: (function: HardSwish, input: Graph.ValueID)?
    if let formula = node.operation as? FormulaOperator, formula.inputCount == 1 {
      found = product(formula.formula).map { ($0, node.inputs[0]) }
    } else if let (left, right) = factors(node) {
      found = product(left, right)
    } else if let line = step(node, ClippedLine()), line.isFactor, line.threshold == nil,
      let product = connected.writer(of: node.inputs[0]), let (left, right) = factors(product)
    {
      found = self.product(left, right, factor: line.scale)
    }
    guard let found, graph[found.input].type == graph[node.outputs[0]].type else { return nil }
    return found
  }

  // MARK: Operators

  /// Returns the hard swish `factor · left · right`, and its input.
  private func product(_ left: Graph.ValueID, _ right: Graph.ValueID, factor: Double = 1)
    -> (HardSwish, Graph.ValueID)?
  {
    for (value, gate) in [(left, right), (right, left)] {
      if let (hardSigmoid, input) = roundedHardSigmoid(gate) {
        // The product's own input: x, or x with a threshold.
        let (root, line) = line(of: value)
        let (gateRoot, gateLine) = self.line(of: input)
        guard factor == 1, root == gateRoot, line.scale == 1, gateLine.scale == 1,
          gateLine.isFactor, let mapped = gateLine.mapped(by: hardSigmoid.0, plus: hardSigmoid.1),
          let clipped = mapped.clipped(0, 1),
          var function = line.hardSwish(with: clipped, factor: 1)
        else { continue }
        function.roundsGate = true
        return (function, root)
      }
      let ((root, line), (gateRoot, gateLine)) = (self.line(of: value), self.line(of: gate))
      if root == gateRoot, let function = line.hardSwish(with: gateLine, factor: factor) {
        return (function, root)
      }
    }
    return nil
  }

  /// Returns a value as a function of the value from which clips, factors and sums compute it.
  private func line(of value: Graph.ValueID) -> (root: Graph.ValueID, line: ClippedLine) {
    guard let node = connected.writer(of: value), connected.isFloat32(value),
      let input = variable(node)
    else {
      return (value, ClippedLine())
    }
    let (root, inner) = line(of: input)
    guard let line = step(node, inner) else { return (value, ClippedLine()) }
    return (root, line)
  }

  /// Returns the slope and the shift of a hard sigmoid whose result is rounded to float16, and the hard sigmoid's input.
  private func roundedHardSigmoid(_ value: Graph.ValueID) -> ((Double, Double), Graph.ValueID)? {
    guard let rounding = connected.writer(of: value),
      rounding.roundsToFloat16,
      let node = connected.writer(of: rounding.inputs[0]),
      case .sigmoidHard(let alpha, let beta)? = (node.operation as? ActivationOperator)?.function
    else { return nil }
    return ((Double(alpha), Double(beta)), node.inputs[0])
  }

  /// Applies the function of a node to the function of its input. Nil if the result is no such function.
  private func step(_ node: Graph.Node, _ line: ClippedLine) -> ClippedLine? {
    switch node.operation {
    case let layer as ActivationOperator:
      switch layer.function {
      case .linear(let alpha, let beta):
        return line.mapped(by: Double(alpha), plus: Double(beta))
      case .sigmoidHard(let alpha, let beta):
        return line.mapped(by: Double(alpha), plus: Double(beta))?.clipped(0, 1)
      case .reLU: return line.clipped(0, .infinity)
      case .thresholdedReLU(let alpha):
        guard line.isFactor, line.scale == 1, line.threshold == nil else { return nil }
        var result: ClippedLine = line
        result.threshold = Double(alpha)
        return result
      default: return nil
      }
    case let clip as ClipOperator:
      return line.clipped(Double(clip.minimum), Double(clip.maximum))
    default:
      guard let (function, number, _) = connected.functionWithNumber(node) else { return nil }
      return step(function, Double(number), line)
    }
  }

  /// Returns the input of a node that is not a constant. Nil if there are several, or none.
  private func variable(_ node: Graph.Node) -> Graph.ValueID? {
    let inputs: [Graph.ValueID] = node.inputs.filter { graph[$0].constant == nil }
    return inputs.count == 1 ? inputs[0] : nil
  }

  /// Returns the two factors of a product of two values that are no constants.
  private func factors(_ node: Graph.Node) -> (Graph.ValueID, Graph.ValueID)? {
    guard let (left, right) = connected.operands(node, .multiply),
      graph[left].constant == nil, graph[right].constant == nil
    else { return nil }
    return (left, right)
  }

  // MARK: Formulas

  /// Returns the hard swish that a formula of one operand computes.
  private func product(_ formula: Formula) -> HardSwish? {
    guard case .operation(.multiply, let left, let right) = formula, let left = line(of: left),
      let right = line(of: right)
    else { return nil }
    return left.hardSwish(with: right, factor: 1) ?? right.hardSwish(with: left, factor: 1)
  }

  /// Returns a formula as a function of its operand.
  private func line(of formula: Formula) -> ClippedLine? {
    switch formula {
    case .operand(0): return ClippedLine()
    case .affine(let x, let scale, let shift):
      return line(of: x)?.mapped(by: Double(scale), plus: Double(shift))
    case .operation(let function, let x, .number(let number)):
      return line(of: x).flatMap { step(function, Double(number), $0) }
    default: return nil
    }
  }

  /// Applies a function with a number as its right operand to a function. Nil if the result is no such function.
  private func step(_ function: BinaryFunction, _ number: Double, _ line: ClippedLine)
    -> ClippedLine?
  {
    switch function {
    case .add: line.mapped(by: 1, plus: number)
    case .subtract: line.mapped(by: 1, plus: -number)
    case .multiply: line.mapped(by: number, plus: 0)
    case .divide: line.mapped(by: 1 / number, plus: 0)
    case .maximum: line.clipped(number, .infinity)
    case .minimum: line.clipped(-.infinity, number)
    default: nil
    }
  }
}
