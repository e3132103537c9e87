import Backends
import Graph
import ModelFormat

/// The order that sorts the values along an axis: the index of the smallest first.
///
/// - Input: any rank from one. Output: the same shape, of indices.
/// - Options: `descending` puts the largest first. Equal values keep their order, and not-a-number
///   counts as greater than every number.
///
/// **Source:** `ArgSortLayerParams` in NeuralNetwork.proto.
public struct ArgSortOperator: Layer {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// Whether the largest comes first.
  public var isDescending: Bool

  public static let declaration = OperatorDeclaration(
    "ArgSort", specification: "argSort", summary: "the order that sorts values along an axis")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .argSort(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    axis = try decoder.integer(message.axis, "the axis")
    isDescending = message.descending
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try inputs[0].shape.resolvedAxes([axis])
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    var result = input
    let resolved = try input.shape.resolvedAxes([axis])[0]
    let extent = input.shape[resolved]
    let inner: Int = input.shape.dimensions[(resolved + 1)...].reduce(1, *)
    let outer: Int = input.shape.dimensions[..<resolved].reduce(1, *)
    for plane in 0..<outer {
      for column in 0..<inner {
        func position(_ index: Int) -> Int { (plane * extent + index) * inner + column }
        let order: [Int] = (0..<extent).sorted { first, second in
          let (left, right) = (input.values[position(first)], input.values[position(second)])
          if isOrdered(left, before: right, descending: isDescending) { return true }
          return first < second && !isOrdered(right, before: left, descending: isDescending)
        }
        for (rank, index) in order.enumerated() { result.values[position(rank)] = Double(index) }
      }
    }
    return [result]
  }

  public var kernels: [KernelCandidate] {
    [.ordering("native sorting", axis: axis, smallestFirst: !isDescending)]
  }

  public static var samples: [OperatorSample] {
    func argSort(_ axis: Int64, descending: Bool = false) -> Spec.NeuralNetworkLayer {
      var message = Spec.ArgSortLayerParams()
      (message.axis, message.descending) = (axis, descending)
      return Spec.NeuralNetworkLayer(.argSort(message))
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([3, 1, 2, 4, 5, 5]))
    return [
      OperatorSample(
        "rows", argSort(-1), inputs: [matrix],
        expected: [ReferenceTensor([2, 3], [1, 2, 0, 0, 1, 2])], tolerance: .exact),
      OperatorSample(
        "columns, descending", argSort(0, descending: true), inputs: [matrix],
        expected: [ReferenceTensor([2, 3], [1, 1, 1, 0, 0, 0])], tolerance: .exact),
      OperatorSample("channels", argSort(1), inputs: [[2, 5, 4, 3]], tolerance: .exact),
      OperatorSample(
        "not-a-number last", argSort(0),
        inputs: [([5], .values([.nan, 1, .infinity, .nan, -0.0]))],
        expected: [ReferenceTensor([5], [4, 1, 2, 0, 3])], tolerance: .exact),
      OperatorSample(
        "long rows with ties", argSort(1), inputs: [([3, 2500], .integers(-300...300))],
        tolerance: .exact),
      OperatorSample(
        "long columns, descending", argSort(-2, descending: true),
        inputs: [([777, 19], .uniform(-1...1))], tolerance: .exact),
      OperatorSample(
        "equal values", argSort(0), inputs: [([600], .integers(3...3))], tolerance: .exact),
      OperatorSample(
        "an axis too many", argSort(2), inputs: [matrix], failure: "the axis 2 does not exist"),
    ]
  }
}
