import Graph

/// Takes ``size`` elements along an axis, starting at the index in the second input:
/// `y = x[…, begin : begin + size, …]`.
///
/// - Inputs: any tensor that has the axis, and the index as one number. A negative index counts from the end of the
///   axis.
/// - Output: the input's rank, with extent ``size`` along the axis.
/// - Errors: a range that extends beyond the axis.
///
/// **Source:** `SliceBySizeLayerParams`.
public struct SliceBySizeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceBySize", summary: "takes a number of elements, starting at a computed index")

  /// The axis; a negative one counts from the end.
  public let axis: Int
  /// The number of elements to take; at least 1.
  public let size: Int

  /// Creates a slice of `size` elements along an axis.
  public init(axis: Int, size: Int) {
    self.axis = axis
    self.size = size
  }

  /// Returns true only for the first input. The second input holds the index.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = inputs[0].shape
    let axis: Int = try shape.axis(axis)
    guard size <= shape[axis] else {
      throw EngineError(
        .invalidInput,
        "\(size) elements are taken, but axis \(axis) of the input (\(shape)) has \(shape[axis]).")
    }
    shape[axis] = size
    return [inputs[0].type.reshaped(to: shape)]
  }

  /// Returns the first index of the range as a non-negative index. `given` is this index as the input holds it. Throws
  /// if the range extends beyond the axis.
  package func begin(_ given: Int, _ shape: Shape, axis: Int) throws -> Int {
    let begin: Int = given < 0 ? given + shape[axis] : given
    guard begin >= 0, begin + size <= shape[axis] else {
      throw EngineError(
        .invalidInput,
        "\(size) elements from index \(given) on reach outside axis \(axis) of the input (\(shape))."
      )
    }
    return begin
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axis: Int = try input.shape.axis(axis)
    guard inputs[1].values.count == 1 else {
      throw EngineError(.invalidInput, "the index is \(inputs[1].shape), expected one number.")
    }
    let begin: Int = try begin(inputs[1].integers[0], input.shape, axis: axis)
    var shape: Shape = input.shape
    shape[axis] = size
    return [
      ReferenceTensor(shape) { index in
        var source = index
        source[axis] += begin
        return input[source]
      }
    ]
  }
}
