import Graph
import Operators

/// Scaled dot-product attention: two matrix products and what is between them.
///
///     softmax(scale · query × keyᵀ + mask) × value
///
/// - Inputs: query `[…, heads, queries, width]`, key `[…, heads, keys, width]` and value `[…, heads, keys, columns]`, of
///   equal leading axes; then the mask, which broadcasts to `[…, heads, queries, keys]`, if there is one. An input
///   whose ``Order`` is ``Order/rowsFirst`` has its rows before its heads. Key and value may have fewer heads than the
///   query: each of their heads then serves the same number of consecutive heads of the query.
/// - Output: `[…, heads, queries, columns]` as `float32`, or with the rows before the heads.
/// - Errors: the inputs have other shapes.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedAttention: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "FusedAttention", summary: "softmax(scale · query × keyᵀ + mask) × value")

  /// The order of a tensor's last three axes.
  public enum Order: Sendable, Hashable {
    /// Heads, rows, columns.
    case headsFirst
    /// Rows, heads, columns: what a linear layer writes, with its columns divided into heads.
    case rowsFirst
  }

  /// The order of the axes of each tensor.
  public var query = Order.headsFirst, key = Order.headsFirst, value = Order.headsFirst
  /// The order of the axes of the output.
  public var result = Order.headsFirst
  /// What the last input does with the scores.
  public enum Mask: Sendable, Hashable {
    /// There is no mask.
    case none
    /// The mask is added to the scores.
    case added
    /// This number replaces the scores where the mask is 0.
    case hidden(Float)
  }

  /// What the mask does.
  public var mask = Mask.none
  /// Whether the last input is a mask.
  package var hasMask: Bool { mask != .none }
  /// The factor of the scores.
  public var scale: Float = 1
  /// Whether the query is multiplied by the scale. Otherwise, the product of query and key is.
  public var scalesQuery = false
  /// Whether the result of each operation except the last is rounded to float16.
  public var rounds = false
  /// Whether the output is rounded to float16.
  public var roundsResult = false

  /// Creates attention without scale and mask, of tensors whose heads come first.
  public init() {}

  /// The extents of the tensors.
  package struct Extents: Equatable {
    /// The leading axes.
    package var batch: [Int]
    package var heads: Int, keyHeads: Int, queries: Int, keys: Int, width: Int, columns: Int
  }

  /// Returns the extents for the shapes of the inputs. Throws if the shapes do not fit each other.
  package func extents(_ inputs: [Shape]) throws -> Extents {
    guard inputs.count == (hasMask ? 4 : 3) else {
      throw EngineError(
        .invalidModel, "attention has \(inputs.count) inputs, expected \(hasMask ? 4 : 3).")
    }
    let rank: Int = inputs[0].rank
    guard rank >= 3, inputs[1].rank == rank, inputs[2].rank == rank else {
      throw invalid(inputs, "the same number of axes, 3 or more")
    }
    let (query, key, value) = (
      query.sizes(inputs[0]), key.sizes(inputs[1]), value.sizes(inputs[2])
    )
    let batch = Array(inputs[0].dimensions.dropLast(3))
    guard inputs[1...2].allSatisfy({ Array($0.dimensions.dropLast(3)) == batch }),
      query.columns == key.columns, key.rows == value.rows, key.heads == value.heads,
      key.heads > 0, query.heads % key.heads == 0
    else { throw invalid(inputs, "query, key and value that fit each other") }
    let made = Extents(
      batch: batch, heads: query.heads, keyHeads: key.heads, queries: query.rows, keys: key.rows,
      width: query.columns, columns: value.columns)
    if hasMask {
      let scores = Shape(batch + [made.heads, made.queries, made.keys])
      guard Shape.broadcast(inputs[3], scores) == scores else {
        throw invalid(inputs, "a mask for scores of the shape \(scores)")
      }
    }
    return made
  }

  private func invalid(_ inputs: [Shape], _ expected: String) -> EngineError {
    let shapes: String = inputs.map(\.description).joined(separator: ", ")
    return EngineError(
      .invalidInput, "attention has inputs of the shapes \(shapes), expected \(expected).")
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let extents: Extents = try extents(inputs.map(\.shape))
    let own: [Int] =
      result == .headsFirst
      ? [extents.heads, extents.queries, extents.columns]
      : [extents.queries, extents.heads, extents.columns]
    return [TensorType(Shape(extents.batch + own))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let rounding = RoundOperator(to: .float16)
    func rounded(_ tensor: ReferenceTensor, _ isRounded: Bool) throws -> ReferenceTensor {
      isRounded ? try rounding.reference([tensor])[0] : tensor
    }
    func scaled(_ tensor: ReferenceTensor) throws -> ReferenceTensor {
      if scale == 1 { return tensor }
      var result = tensor
      result.values = tensor.values.map { $0 * Double(scale) }
      return try rounded(result, rounds)
    }
    let extents: Extents = try extents(inputs.map(\.shape))
    let group: Int = extents.heads / extents.keyHeads
    var left: ReferenceTensor = try query.headsFirst(inputs[0])
    if scalesQuery { left = try scaled(left) }
    let keys: ReferenceTensor = try key.headsFirst(inputs[1]).repeatingHeads(group)
    let values: ReferenceTensor = try value.headsFirst(inputs[2]).repeatingHeads(group)
    var scores: ReferenceTensor = try rounded(
      BatchedMatMulOperator(transposesRight: true).reference([left, keys])[0], rounds)
    if !scalesQuery { scores = try scaled(scores) }
    switch mask {
    case .none: break
    case .added:
      scores = try rounded(BinaryFunctionOperator(.add).reference([scores, inputs[3]])[0], rounds)
    case .hidden(let number):
      let fill = ReferenceTensor([1], [Double(number)])
      scores = try WhereBroadcastableOperator().reference([inputs[3], scores, fill])[0]
    }
    let weights: ReferenceTensor = try rounded(
      SoftmaxNDOperator(axis: -1).reference([scores])[0], rounds)
    let made: ReferenceTensor = try rounded(
      BatchedMatMulOperator().reference([weights, values])[0], roundsResult)
    return [try result.headsFirst(made)]
  }
}

extension FusedAttention.Order {
  /// The extents of the last three axes of a shape in this order.
  func sizes(_ shape: Shape) -> (heads: Int, rows: Int, columns: Int) {
    self == .headsFirst
      ? (shape[-3], shape[-2], shape[-1]) : (shape[-2], shape[-3], shape[-1])
  }

  /// Exchanges the rows and the heads of a tensor if this order has the rows first.
  fileprivate func headsFirst(_ tensor: ReferenceTensor) throws -> ReferenceTensor {
    guard self == .rowsFirst else { return tensor }
    var axes = Array(0..<tensor.shape.rank)
    axes.swapAt(axes.count - 3, axes.count - 2)
    return try TransposeOperator(axes: axes).reference([tensor])[0]
  }
}

extension ReferenceTensor {
  /// Returns the tensor `[…, heads, rows, columns]` with each head repeated.
  fileprivate func repeatingHeads(_ count: Int) -> ReferenceTensor {
    guard count > 1 else { return self }
    var larger: Shape = shape
    larger[-3] *= count
    let axis: Int = shape.rank - 3
    return ReferenceTensor(larger) { index in
      var source = index
      source[axis] /= count
      return self[source]
    }
  }
}
