import Graph

/// The K largest or K smallest values along an axis, in sorted order, and their indices.
///
/// - Inputs: a tensor of rank one or more, and optionally K as a tensor of one element.
/// - Outputs: the values and their indices, both of the input's shape, but with extent K at the axis. The indices are
///   `int32` if the input holds integers, otherwise `float32`.
/// - Equal values keep their order. NaN counts as greater than every number.
/// - Errors: K is larger than the extent of the axis.
///
/// **Source:** `TopKLayerParams` in NeuralNetwork.proto.
public struct TopKOperator: IntegerOperator, Hashable {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// The number K of selected values. Ignored if the operator has a second input, which holds K.
  public var count: Int
  /// Whether the smallest values are selected; otherwise the largest values are.
  public var isBottom: Bool

  public static let declaration = OperatorDeclaration(
    "TopK", summary: "the largest or smallest values along an axis, and their indices")

  /// Creates a selection along an axis. `count` is ignored if the operator has a second input.
  public init(axis: Int, count: Int, isBottom: Bool = false) {
    self.axis = axis
    self.count = count
    self.isBottom = isBottom
  }

  /// Inputs may hold integers or floating-point numbers.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape = inputs[0].shape
    let resolved = try shape.resolvedAxes([axis])[0]
    var k = count
    if inputs.count == 2 {
      guard let value = inputs[1].value else { return nil }
      k = try Self.integerValue(value)
    }
    guard (0...shape[resolved]).contains(k) else {
      throw EngineError(
        .invalidInput,
        "\(k) values are requested along axis \(axis) of \(shape), expected at most \(shape[resolved])."
      )
    }
    shape[resolved] = k
    let element: ElementType = inputs[0].type.element
    return [TensorType(shape, element), TensorType(shape, .indexType(of: element))]
  }

  /// Returns true only for the first input. The second input holds K.
  public func computes(with input: Int) -> Bool { input == 0 }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let values: [Double] = inputs[0].values
    let (shape, offsets, indices) = try selected(inputs) {
      isOrdered(values[$0], before: values[$1], descending: !isBottom)
    }
    return [ReferenceTensor(shape, offsets.map { values[$0] }, inputs[0].element), indices]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let integerValues: [Int64] = inputs[0].integerValues
    let (shape, offsets, indices) = try selected(inputs) {
      isOrdered(integerValues[$0], before: integerValues[$1], descending: !isBottom)
    }
    return [
      ReferenceTensor(shape, integerValues: offsets.map { integerValues[$0] }, inputs[0].element),
      indices,
    ]
  }

  /// Returns the output's shape and, for each selected value, its offset in the input and its index along the axis.
  private func selected(_ inputs: [ReferenceTensor], _ isOrdered: (Int, Int) -> Bool) throws
    -> (Shape, [Int], ReferenceTensor)
  {
    var shape: Shape = inputs[0].shape
    let resolved = try shape.resolvedAxes([axis])[0]
    let k = inputs.count == 2 ? try Self.integerValue(inputs[1]) : count
    shape[resolved] = k
    var offsets = [Int](repeating: 0, count: shape.count)
    var indices = ReferenceTensor(shape)
    AxisVectors(inputs[0].shape, axis: resolved).forEach(extent: k) { vector, targets in
      for (target, index) in zip(targets, vector.sortedIndices(isOrdered)) {
        offsets[target] = vector[index]
        indices.values[target] = Double(index)
      }
    }
    return (shape, offsets, indices)
  }

  private static func integerValue(_ tensor: ReferenceTensor) throws -> Int {
    guard tensor.shape.count == 1, let k = Int(exactly: tensor.reals[0].rounded()) else {
      throw EngineError(
        .invalidInput, "K is a tensor of shape \(tensor.shape), expected one integer.")
    }
    return k
  }
}
