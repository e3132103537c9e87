import Graph

/// Splits a tensor into parts along any axis.
///
/// - Input: any tensor that has the axis.
/// - Outputs: parts of the given sizes, which must add up to the extent of the axis. If ``parts`` is a number of parts,
///   the parts are as equal as possible. The first parts may then be one element longer than the last ones, as in
///   `numpy.array_split`.
///
/// **Source:** `SplitNDLayerParams`.
public struct SplitNDOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SplitND", summary: "splits a tensor into parts along any axis")

  /// The parts into which the axis is split.
  public enum Parts: Sendable, Hashable {
    /// This many parts, as equal as possible.
    case count(Int)
    /// Parts of these sizes.
    case sizes([Int])
  }

  /// The axis; a negative one counts from the end.
  public let axis: Int
  /// The parts into which the axis is split.
  public let parts: Parts

  /// Creates a split along an axis.
  public init(axis: Int, parts: Parts) {
    self.axis = axis
    self.parts = parts
  }

  private func shapes(_ input: Shape) throws -> [Shape] {
    let axis: Int = try input.axis(axis)
    let extent: Int = input[axis]
    let sizes: [Int]
    switch parts {
    case .count(let count):
      sizes = (0..<count).map { extent / count + ($0 < extent % count ? 1 : 0) }
    case .sizes(let given):
      guard given.reduce(0, +) == extent else {
        throw EngineError(
          .invalidInput,
          "the parts \(given) add up to \(given.reduce(0, +)), but axis \(axis) of the input (\(input)) has \(extent)."
        )
      }
      sizes = given
    }
    return sizes.map { size -> Shape in
      var shape = input
      shape[axis] = size
      return shape
    }
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try shapes(inputs[0].shape).map { inputs[0].type.reshaped(to: $0) }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axis: Int = try input.shape.axis(axis)
    var start = 0
    return try shapes(input.shape).map { shape -> ReferenceTensor in
      defer { start += shape[axis] }
      return ReferenceTensor(shape) { index in
        var source = index
        source[axis] += start
        return input[source]
      }
    }
  }
}
