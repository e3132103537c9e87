import CPointwise
import Graph
import ModelFormat

/// A layer without parameters that joins two inputs element by element; shapes are broadcast as
/// NumPy does, whatever their ranks.
public protocol BroadcastableOperator: PointwiseOperator {
  /// The one layer of the type.
  init()
  /// The operation for the fast kernel.
  static var operation: cpw_operation_kind { get }
  /// The definition.
  static func combine(_ left: Double, _ right: Double) -> Double
  /// The message, for samples.
  static var message: Spec.NeuralNetworkLayer.OneOfLayer { get }
  /// How samples are filled.
  static var fill: OperatorSample.Fill { get }
  /// How close the fast kernel comes.
  static var tolerance: OperatorSample.Tolerance { get }
  /// Operands and results, worked out by hand.
  static var answers: [(Double, Double, Double)] { get }
}

extension BroadcastableOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(2...2)
    self.init()
  }

  public func evaluate(_ operands: [Double]) -> Double { Self.combine(operands[0], operands[1]) }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 2)
    program.append(Self.operation, 0, 1)
    return program
  }

  public static var fill: OperatorSample.Fill { .uniform(-2...2) }
  public static var tolerance: OperatorSample.Tolerance { .rounding }

  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(message)
    let shape = Shape([answers.count])
    let known = OperatorSample(
      "known values", layer,
      inputs: [(shape, .values(answers.map(\.0))), (shape, .values(answers.map(\.1)))],
      expected: [ReferenceTensor(shape, answers.map(\.2))], tolerance: .accumulation)
    let failure = OperatorSample(
      "one input", layer, inputs: [[2]], failure: "has 1 inputs, expected 2")
    return [known, failure] + broadcastingSamples(layer, fill: fill, tolerance: tolerance)
  }
}
