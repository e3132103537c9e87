import Graph

/// The K largest (or smallest) values along an axis in their order, and where they stood.
///
/// - Inputs: a tensor of any rank from one, and optionally K as a tensor of one element.
/// - Outputs: values and indices, of the input's shape with K in place of the axis.
/// - Edge rules: of equal values the one that stands first comes first; not-a-number counts as greater
///   than every number; K beyond the axis is an error.
///
/// **Source:** `TopKLayerParams` in NeuralNetwork.proto.
public struct TopKOperator: Operator {
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
    return [TensorType(shape, inputs[0].type.element), TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let resolved = try input.shape.resolvedAxes([axis])[0]
    let k = inputs.count == 2 ? try Self.wholeNumber(inputs[1]) : count
    let extent = input.shape[resolved]
    let inner: Int = input.shape.dimensions[(resolved + 1)...].reduce(1, *)
    var shape = input.shape
    shape[resolved] = k
    var values = ReferenceTensor(shape)
    var indices = ReferenceTensor(shape)
    let outer: Int = input.shape.dimensions[..<resolved].reduce(1, *)
    for plane in 0..<outer {
      for column in 0..<inner {
        let line: [Double] = (0..<extent).map {
          input.values[(plane * extent + $0) * inner + column]
        }
        let order: [Int] = line.indices.sorted { first, second in
          if isOrdered(line[first], before: line[second], descending: !isBottom) { return true }
          return first < second
            && !isOrdered(line[second], before: line[first], descending: !isBottom)
        }
        for rank in 0..<k {
          let target = (plane * k + rank) * inner + column
          values.values[target] = line[order[rank]]
          indices.values[target] = Double(order[rank])
        }
      }
    }
    return [values, indices]
  }

  private static func wholeNumber(_ tensor: ReferenceTensor) throws -> Int {
    guard tensor.values.count == 1, let k = Int(exactly: tensor.values[0].rounded()) else {
      throw EngineError(
        .invalidInput, "K is a tensor of shape \(tensor.shape), expected one whole number.")
    }
    return k
  }
}
