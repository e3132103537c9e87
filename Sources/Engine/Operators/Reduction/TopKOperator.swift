import Graph

/// The K largest (or smallest) values along an axis in their order, and where they stood.
///
/// - Inputs: a tensor of any rank from one, and optionally K as a tensor of one element.
/// - Outputs: values and indices, of the input's shape with K in place of the axis; indices are `float32`, or
///   int32 where the input holds whole numbers.
/// - Edge rules: of equal values the one that stands first comes first; not-a-number counts as greater
///   than every number; K beyond the axis is an error.
///
/// **Source:** `TopKLayerParams` in NeuralNetwork.proto.
public struct TopKOperator: WholeNumberOperator, Hashable {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// How many values; ignored where K is an input.
  public var count: Int
  /// Whether the smallest are asked.
  public var isBottom: Bool

  public static let declaration = OperatorDeclaration(
    "TopK", summary: "the largest or smallest values along an axis, and their positions")

  /// A selection along an axis; the count is ignored where K is an input.
  public init(axis: Int, count: Int, isBottom: Bool = false) {
    self.axis = axis
    self.count = count
    self.isBottom = isBottom
  }

  /// Whole numbers too.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape = inputs[0].shape
    let resolved = try shape.resolvedAxes([axis])[0]
    var k = count
    if inputs.count == 2 {
      guard let value = inputs[1].value else { return nil }
      k = try Self.wholeNumber(value)
    }
    guard (0...shape[resolved]).contains(k) else {
      throw EngineError(
        .invalidInput,
        "\(k) values are asked along the axis \(axis) of \(shape), expected at most \(shape[resolved])."
      )
    }
    shape[resolved] = k
    let element: ElementType = inputs[0].type.element
    return [TensorType(shape, element), TensorType(shape, .places(of: element))]
  }

  /// The second input is K.
  public func computes(with input: Int) -> Bool { input == 0 }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let values: [Double] = inputs[0].values
    let (shape, places, indices) = try chosen(inputs) {
      isOrdered(values[$0], before: values[$1], descending: !isBottom)
    }
    return [ReferenceTensor(shape, places.map { values[$0] }, inputs[0].element), indices]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let wholes: [Int64] = inputs[0].wholes
    let (shape, places, indices) = try chosen(inputs) {
      isOrdered(wholes[$0], before: wholes[$1], descending: !isBottom)
    }
    return [ReferenceTensor(shape, wholes: places.map { wholes[$0] }, inputs[0].element), indices]
  }

  /// The shape of what is chosen, where each value stands in the input, and where on its axis.
  private func chosen(_ inputs: [ReferenceTensor], _ isOrdered: (Int, Int) -> Bool) throws
    -> (Shape, [Int], ReferenceTensor)
  {
    var shape: Shape = inputs[0].shape
    let resolved = try shape.resolvedAxes([axis])[0]
    let k = inputs.count == 2 ? try Self.wholeNumber(inputs[1]) : count
    shape[resolved] = k
    var places = [Int](repeating: 0, count: shape.count)
    var indices = ReferenceTensor(shape)
    AxisLines(inputs[0].shape, axis: resolved).forEach(extent: k) { line, targets in
      for (target, place) in zip(targets, line.places(isOrdered)) {
        places[target] = line[place]
        indices.values[target] = Double(place)
      }
    }
    return (shape, places, indices)
  }

  private static func wholeNumber(_ tensor: ReferenceTensor) throws -> Int {
    guard tensor.shape.count == 1, let k = Int(exactly: tensor.reals[0].rounded()) else {
      throw EngineError(
        .invalidInput, "K is a tensor of shape \(tensor.shape), expected one whole number.")
    }
    return k
  }
}
