import Graph
import ModelFormat

/// Running sums along an axis: `y[i] = x[0] + … + x[i]`.
///
/// - Inputs: a tensor of any rank from one, and optionally the axis as a tensor of one element.
/// - Output: the shape of the first input.
/// - Options: `excludeFinalSum` leaves x[i] itself out, so that the first sum is 0; `reverse` runs
///   from the end.
///
/// **Source:** `CumSumLayerParams` in NeuralNetwork.proto.
public struct CumSumOperator: Layer {
  /// The axis; a negative one counts from the end. Ignored where it is an input.
  public var axis: Int
  /// Whether each sum leaves its own element out.
  public var isExclusive: Bool
  /// Whether sums run from the end.
  public var isReversed: Bool

  public static let declaration = OperatorDeclaration(
    "CumSum", specification: "cumSum", summary: "running sums along an axis")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...2)
    guard case .cumSum(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    axis = try decoder.integer(message.axis, "the axis")
    isExclusive = message.excludeFinalSum
    isReversed = message.reverse
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    if inputs.count == 1 { _ = try inputs[0].shape.resolvedAxes([axis]) }
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    var axis = axis
    if inputs.count == 2 {
      guard inputs[1].values.count == 1 else { throw Self.noAxis(inputs[1].shape) }
      axis = try Self.axis(inputs[1].values[0], inputs[1].shape)
    }
    let resolved = try result.shape.resolvedAxes([axis])[0]
    let extent = result.shape[resolved]
    let inner: Int = result.shape.dimensions[(resolved + 1)...].reduce(1, *)
    let outer: Int = result.shape.dimensions[..<resolved].reduce(1, *)
    for plane in 0..<outer {
      for column in 0..<inner {
        var sum = 0.0
        for step in 0..<extent {
          let place = isReversed ? extent - 1 - step : step
          let position = (plane * extent + place) * inner + column
          let value = result.values[position]
          result.values[position] = isExclusive ? sum : sum + value
          sum += value
        }
      }
    }
    return [result]
  }

  /// The axis that the second input names.
  package static func axis(_ value: Double, _ shape: Shape) throws -> Int {
    guard let axis = Int(exactly: value.rounded()) else { throw noAxis(shape) }
    return axis
  }

  private static func noAxis(_ shape: Shape) -> EngineError {
    EngineError(
      .invalidInput, "the axis is a tensor of shape \(shape), expected one whole number.")
  }

  public static var samples: [OperatorSample] {
    func cumSum(_ axis: Int64, exclusive: Bool = false, reverse: Bool = false)
      -> Spec.NeuralNetworkLayer
    {
      var message = Spec.CumSumLayerParams()
      (message.axis, message.excludeFinalSum, message.reverse) = (axis, exclusive, reverse)
      return Spec.NeuralNetworkLayer(.cumSum(message))
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 2, 3, 4, 5, 6]))
    func answer(_ values: [Double]) -> [ReferenceTensor] { [ReferenceTensor([2, 3], values)] }
    return [
      OperatorSample(
        "rows", cumSum(-1), inputs: [matrix], expected: answer([1, 3, 6, 4, 9, 15])),
      OperatorSample(
        "columns", cumSum(0), inputs: [matrix], expected: answer([1, 2, 3, 5, 7, 9])),
      OperatorSample(
        "exclusive", cumSum(1, exclusive: true), inputs: [matrix],
        expected: answer([0, 1, 3, 0, 4, 9])),
      OperatorSample(
        "reversed", cumSum(1, reverse: true), inputs: [matrix],
        expected: answer([6, 5, 3, 15, 11, 6])),
      OperatorSample(
        "exclusive and reversed", cumSum(1, exclusive: true, reverse: true), inputs: [matrix],
        expected: answer([5, 3, 0, 11, 6, 0])),
      OperatorSample(
        "the axis as an input", cumSum(0), inputs: [matrix, ([1], .values([-1]))],
        expected: answer([1, 3, 6, 4, 9, 15])),
      OperatorSample("wide planes", cumSum(1), inputs: [[2, 17, 23, 29]], tolerance: .rounding),
      OperatorSample(
        "many long rows, reversed", cumSum(-1, reverse: true), inputs: [[130, 301]],
        tolerance: .rounding),
      OperatorSample(
        "the first axis as an input", cumSum(1, exclusive: true),
        inputs: [([5, 3, 2, 7], .uniform(-1...1)), ([1], .values([0]))], tolerance: .rounding),
      OperatorSample(
        "an axis too many as an input", cumSum(0), inputs: [matrix, ([1], .values([-3]))],
        failure: "the axis -3 does not exist"),
      OperatorSample(
        "an axis too many", cumSum(2), inputs: [matrix], failure: "the axis 2 does not exist"),
    ]
  }
}
