import Graph
import Operators

/// The operators after a quantised matrix product or convolution that can be the epilogue of its kernel. The kernel
/// applies them to each sum before it stores the sum. These operators are factors and biases per channel, an
/// activation, and the quantisation of the result.
struct ByteEpiloguePattern {
  /// The factor and the bias of each output channel. The result of a channel is `factor · (Σ + bias)` for an integer
  /// sum Σ.
  private(set) var factors: [Float], bias: [Float]
  /// The activation and the quantisation that the pattern has collected so far.
  private(set) var epilogue = ByteEpilogue()
  /// The position of the node that clips the result to the range of quantised values, the node's output, and the range.
  /// Nil if the pattern has found no quantisation.
  private(set) var end: (position: Int, value: Graph.ValueID, range: ClosedRange<Int>)?
  /// The axis of the result's channels, counted from the end.
  private let axis: Int
  /// The factor that the kernel applies after the activation and before the rounding. It is 1 / (the difference between
  /// the real numbers of two neighbouring quantised values).
  private var scale: Float = 1

  /// Creates a pattern from the factor and the bias of each channel. The pattern has not collected any operator yet.
  ///
  /// - Parameter channelAxis: the axis of the result's channels, counted from the end.
  init(_ factors: [Float], _ bias: [Float], channelAxis: Int) {
    (self.factors, self.bias, axis) = (factors, bias, channelAxis)
  }

  /// Collects the operators that follow the result of a matrix product, up to the next quantised value. Returns false
  /// if the pattern does not reach a quantised value.
  mutating func follow(_ result: Graph.ValueID, in rewriting: ByteRewriting) -> Bool {
    var value: Graph.ValueID = result
    while let (_, node) = rewriting.soleReader(of: value), node.outputs.count == 1,
      rewriting.graph[value].type == rewriting.graph[node.outputs[0]].type
    {
      if (node.operation as? UnaryFunctionOperator)?.function == .round {
        guard isIntegerSum else { return collectQuantization(node.outputs[0], in: rewriting) }
      } else if !collect(node, of: value, in: rewriting.graph) {
        return false
      }
      value = node.outputs[0]
    }
    return false
  }

  /// Whether the operators collected so far give only integers. If they do, a rounding after them changes nothing.
  private var isIntegerSum: Bool {
    epilogue.activation == nil && scale == 1 && factors.allSatisfy { $0 == 1 }
      && bias.allSatisfy { $0 == $0.rounded() }
  }

  /// Collects the operators after a rounding, up to the clip that bounds the quantised values. Returns false if the
  /// pattern does not reach such a clip.
  private mutating func collectQuantization(_ rounded: Graph.ValueID, in rewriting: ByteRewriting)
    -> Bool
  {
    var (value, shift) = (rounded, 0)
    while let (position, node) = rewriting.soleReader(of: value), node.outputs.count == 1 {
      if let clip = node.operation as? ClipOperator, let range = clip.byteRange {
        epilogue.quantization = ByteEpilogue.Quantization(
          scale: scale, least: range.lowerBound - shift, greatest: range.upperBound - shift)
        end = (position, node.outputs[0], range)
        return true
      }
      guard let (step, _) = ScalarStep.of(node, in: rewriting.graph), case .add(let number) = step,
        let integer = Int(exactly: number), abs(integer) <= 1 << 16
      else { return false }
      shift += integer
      value = node.outputs[0]
    }
    return false
  }

  /// Collects one operator before the rounding. Returns false if the kernel cannot apply the operator.
  private mutating func collect(_ node: Graph.Node, of value: Graph.ValueID, in graph: Graph)
    -> Bool
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
      bias[index] += Self.inSumUnits(numbers[index], factor: factors[index])
    }
    return bias.allSatisfy(\.isFinite)
  }

  /// Converts a bias from units of the real result to units of the integer sum: divides the bias by the factor. In
  /// quantised models, a bias is usually an integer times the factor. The division then restores the integer, except
  /// for errors in the last bits. So a quotient close to an integer is rounded to this integer.
  static func inSumUnits(_ number: Float, factor: Float) -> Float {
    let sums: Float = number / factor
    let integer: Float = sums.rounded()
    return abs(sums - integer) <= abs(sums) * 0x1p-21 ? integer : sums
  }

  /// If a node combines `value` with one constant number per channel, returns the node's function and the numbers.
  /// Returns nil for other nodes.
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
