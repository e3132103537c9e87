import CPointwise
import Graph
import ModelFormat

/// A layer that compares two inputs, or one and the number alpha: 1 where the comparison holds, 0
/// elsewhere. Shapes are broadcast as NumPy does.
public protocol ComparisonOperator: PointwiseOperator {
  /// What a single input is compared to; nil with two inputs.
  var alpha: Float? { get }
  /// A comparison with a number, or of two inputs.
  init(alpha: Float?)
  /// The operation for the fast kernel.
  static var operation: cpw_operation_kind { get }
  /// The definition.
  static func holds(_ left: Double, _ right: Double) -> Bool
  /// The number in the message.
  static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float?
  /// The message with a number, for samples.
  static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer
}

extension ComparisonOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...2)
    guard let message = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    self.init(alpha: decoder.inputCount == 1 ? Self.alpha(of: message) : nil)
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let right: Double = alpha.map(Double.init) ?? operands[1]
    return Self.holds(operands[0], right) ? 1 : 0
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: alpha == nil ? 2 : 1)
    var right = 1
    if let alpha { right = program.append(CPW_CONSTANT, 0, alpha: alpha) }
    program.append(Self.operation, 0, right)
    return program
  }

  public static var samples: [OperatorSample] {
    let left: [Double] = [1, 2, 3, -1]
    let right: [Double] = [2, 2, 2, -1]
    let answers: [Double] = zip(left, right).map { holds($0, $1) ? 1 : 0 }
    let numbers: [Double] = left.map { holds($0, 2) ? 1 : 0 }
    let layer = Spec.NeuralNetworkLayer(message(alpha: 0))
    return [
      OperatorSample(
        "two inputs", layer, inputs: [([4], .values(left)), ([4], .values(right))],
        expected: [ReferenceTensor([4], answers)], tolerance: .exact),
      OperatorSample(
        "an input and a number", Spec.NeuralNetworkLayer(message(alpha: 2)),
        inputs: [([2, 2], .values(left))], expected: [ReferenceTensor([2, 2], numbers)],
        tolerance: .exact),
      OperatorSample(
        "alpha is ignored with two inputs", Spec.NeuralNetworkLayer(message(alpha: 7)),
        inputs: [([4], .values(left)), ([4], .values(right))],
        expected: [ReferenceTensor([4], answers)], tolerance: .exact),
      OperatorSample(
        "three inputs", layer, inputs: [[2], [2], [2]], failure: "has 3 inputs, expected 1 to 2"),
    ] + broadcastingSamples(layer, fill: .integers(-1...1), tolerance: .exact)
  }
}
