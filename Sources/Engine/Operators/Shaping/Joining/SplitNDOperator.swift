import Graph

/// Cuts a tensor into parts along any axis.
///
/// - Input: any tensor that has the axis.
/// - Outputs: parts of the given sizes, which must add up to the axis; without sizes, parts as equal
///   as can be, the first ones longer by one, as `numpy.array_split`.
///
/// **Source:** `SplitNDLayerParams`.
public struct SplitNDOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SplitND", summary: "cuts a tensor into parts along any axis")

  /// How the axis is cut.
  public enum Parts: Sendable, Hashable {
    /// That many parts, as equal as can be.
    case count(Int)
    /// Parts of these sizes.
    case sizes([Int])
  }

  /// The axis; negative counts from the end.
  public let axis: Int
  /// How the axis is cut.
  public let parts: Parts

  /// A cut along an axis.
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
