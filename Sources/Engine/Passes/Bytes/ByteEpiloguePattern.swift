import Graph
import Operators

/// What follows a product, as far as one kernel computes it: factors and shifts, an activation, the next codes.
struct ByteEnding {
  private(set) var factors: [Float], bias: [Float]
  private(set) var epilogue = ByteEpilogue()
  private(set) var end: (position: Int, value: Graph.ValueID, codes: ClosedRange<Int>)?
  private let axis: Int
  private var scale: Float = 1

  /// - Parameter channelAxis: that of the result's channels, from the end.
  init(_ factors: [Float], _ bias: [Float], channelAxis: Int) {
    (self.factors, self.bias, axis) = (factors, bias, channelAxis)
  }

  /// Follows a product's result up to the next codes; whether there are such.
  mutating func follow(_ result: Graph.ValueID, in rewriting: ByteRewriting) -> Bool {
    var value: Graph.ValueID = result
    while let (_, node) = rewriting.soleReader(of: value), node.outputs.count == 1,
      rewriting.graph[value].type == rewriting.graph[node.outputs[0]].type
    {
      if (node.operation as? UnaryFunctionOperator)?.function == .round {
        guard isWhole else { return keep(node.outputs[0], in: rewriting) }
      } else if !absorb(node, of: value, in: rewriting.graph) {
        return false
      }
      value = node.outputs[0]
    }
    return false
  }

  /// Whether the result is a sum of whole numbers so far: rounding changes nothing.
  private var isWhole: Bool {
    epilogue.activation == nil && scale == 1 && factors.allSatisfy { $0 == 1 }
      && bias.allSatisfy { $0 == $0.rounded() }
  }

  /// Takes the steps after a rounding, up to the range of codes.
  private mutating func keep(_ rounded: Graph.ValueID, in rewriting: ByteRewriting) -> Bool {
    var (value, shift) = (rounded, 0)
    while let (position, node) = rewriting.soleReader(of: value), node.outputs.count == 1 {
      if let clip = node.operation as? ClipOperator, let range = clip.codes {
        epilogue.codes = ByteEpilogue.Codes(
          scale: scale, least: range.lowerBound - shift, greatest: range.upperBound - shift)
        end = (position, node.outputs[0], range)
        return true
      }
      guard let (step, _) = ScalarStep.of(node, in: rewriting.graph), case .add(let number) = step,
        let whole = Int(exactly: number), abs(whole) <= 1 << 16
      else { return false }
      shift += whole
      value = node.outputs[0]
    }
    return false
  }

  /// Takes a step before the rounding.
  private mutating func absorb(_ node: Graph.Node, of value: Graph.ValueID, in graph: Graph) -> Bool
  {
    if node.operation is RoundOperator { return true }
    if let (step, _) = ScalarStep.of(node, in: graph) {
      switch step {
      case .multiply(let number):
        guard number > 0 else { return false }
        if epilogue.activation == nil {
          return multiply(by: [Float](repeating: number, count: factors.count))
        }
        scale *= number
        return scale.isNormal
      case .add(let number):
        return add([Float](repeating: number, count: bias.count))
      }
    }
    if let (function, numbers) = channelStep(node, of: value, in: graph) {
      if function == .multiply { return multiply(by: numbers) }
      if function == .divide { return multiply(by: numbers.map { 1 / $0 }) }
      if function == .add { return add(numbers) }
      return function == .subtract ? add(numbers.map { -$0 }) : false
    }
    guard epilogue.activation == nil else { return false }
    if let clip = node.operation as? ClipOperator, clip.minimum == 0, clip.maximum > 0 {
      epilogue.activation = .reLU
      epilogue.ceiling = clip.maximum.isFinite ? clip.maximum : nil
      return true
    }
    guard let activation = node.operation as? ActivationOperator,
      activation.function.isProductEpilogue
    else { return false }
    epilogue.activation = activation.function
    return true
  }

  private mutating func multiply(by numbers: [Float]) -> Bool {
    guard epilogue.activation == nil, numbers.allSatisfy({ $0 > 0 }) else { return false }
    factors = zip(factors, numbers).map { $0 * $1 }
    return factors.allSatisfy(\.isNormal)
  }

  private mutating func add(_ numbers: [Float]) -> Bool {
    guard epilogue.activation == nil else { return false }
    for index in bias.indices {
      bias[index] += Self.inSums(numbers[index], factor: factors[index])
    }
    return bias.allSatisfy(\.isFinite)
  }

  /// A number that is added to products, counted in sums of codes. Formats keep biases as whole numbers of that
  /// kind, which division gives back but for the last bits.
  static func inSums(_ number: Float, factor: Float) -> Float {
    let sums: Float = number / factor
    let whole: Float = sums.rounded()
    return abs(sums - whole) <= abs(sums) * 0x1p-21 ? whole : sums
  }

  /// A number a channel that is joined with the result.
  private func channelStep(_ node: Graph.Node, of value: Graph.ValueID, in graph: Graph)
    -> (BinaryFunction, [Float])?
  {
    guard let function = node.operation as? BinaryFunctionOperator, function.number == nil,
      node.inputs.count == 2, node.inputs[0] == value,
      let constant = graph[node.inputs[1]].constant, constant.count == factors.count,
      constant.shape.rank >= -axis, constant.shape[axis] == factors.count,
      let numbers = try? constant.floats()
    else { return nil }
    return (function.function, numbers)
  }
}
