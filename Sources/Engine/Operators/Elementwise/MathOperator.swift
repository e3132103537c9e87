import CPointwise
import Graph
import ModelFormat

/// A layer without parameters that applies one function of a real number to each element.
///
/// - Input: any shape. Output: the same.
/// - Edge rules: those of the C library; NaN outside of the function's domain.
public protocol MathOperator: PointwiseOperator {
  /// The one layer of the type.
  init()
  /// The function for the fast kernel.
  static var operation: cpw_operation_kind { get }
  /// The definition.
  static func evaluate(_ x: Double) -> Double
  /// The message, for samples.
  static var message: Spec.NeuralNetworkLayer.OneOfLayer { get }
  /// Where the function is tested.
  static var domain: ClosedRange<Double> { get }
  /// Arguments and values, from Python’s math module in float64.
  static var answers: [(Double, Double)] { get }
}

extension MathOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    self.init()
  }

  public func evaluate(_ operands: [Double]) -> Double { Self.evaluate(operands[0]) }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    program.append(Self.operation, 0)
    return program
  }

  public static var domain: ClosedRange<Double> { -3...3 }

  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(message)
    let shape = Shape([answers.count])
    return [
      OperatorSample(
        "known values", layer, inputs: [(shape, .values(answers.map(\.0)))],
        expected: [ReferenceTensor(shape, answers.map(\.1))], tolerance: .accumulation),
      OperatorSample(
        "a picture", layer, inputs: [([1, 7, 11, 13], .uniform(domain))], tolerance: .accumulation),
      OperatorSample(
        "five dimensions", layer, mapping: .rank5,
        inputs: [([2, 1, 3, 5, 4], .uniform(domain))], tolerance: .accumulation),
      OperatorSample("two inputs", layer, inputs: [[2], [2]], failure: "has 2 inputs, expected 1"),
    ]
  }
}
