import Graph
import Operators

/// Scaled dot-product attention: two matrix products and what is between them.
///
///     softmax(scale · query × keyᵀ + mask) × value
///
/// - Inputs: the tensors in which query, key and value lie as their views say; then the mask, which broadcasts to
///   `[…, heads, queries, keys]`, if there is one.
/// - Output: `[…, heads, queries, columns]` as `float32`, or with the rows before the heads.
/// - Errors: the views do not fit each other, or an input is smaller than its view.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedAttention: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "FusedAttention", summary: "softmax(scale · query × keyᵀ + mask) × value")

  /// Where the query is: `[…, heads, queries, width]`.
  public var query: StridedView
  /// Where the key is: `[…, heads, keys, width]`, with the query's leading axes. Key and value may have fewer heads than
  /// the query: each of their heads then serves the same number of consecutive heads of the query.
  public var key: StridedView
  /// Where the value is: `[…, heads, keys, columns]`.
  public var value: StridedView

  /// The order of the last three axes of the output.
  public enum Order: Sendable, Hashable {
    /// Heads, rows, columns.
    case headsFirst
    /// Rows, heads, columns: what a linear layer reads.
    case rowsFirst
  }

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

  /// Creates attention without scale and mask.
  public init(query: StridedView, key: StridedView, value: StridedView) {
    self.query = query
    self.key = key
    self.value = value
  }

  /// The extents of the tensors.
  package struct Extents: Equatable {
    /// The leading axes.
    package var batch: [Int]
    package var heads: Int, keyHeads: Int, queries: Int, keys: Int, width: Int, columns: Int
  }

  /// Returns the extents for the shapes of the inputs. Throws if the views do not fit each other or the inputs.
  package func extents(_ inputs: [Shape]) throws -> Extents {
    guard inputs.count == (hasMask ? 4 : 3) else {
      throw EngineError(
        .invalidModel, "attention has \(inputs.count) inputs, expected \(hasMask ? 4 : 3).")
    }
    let (own, keys, values) = (query.shape, key.shape, value.shape)
    guard own.rank >= 3, keys.rank == own.rank, values.rank == own.rank else {
      throw invalid("the same number of axes, 3 or more")
    }
    let batch = Array(own.dimensions.dropLast(3))
    guard [keys, values].allSatisfy({ Array($0.dimensions.dropLast(3)) == batch }),
      own[-1] == keys[-1], keys[-2] == values[-2], keys[-3] == values[-3], keys[-3] > 0,
      own[-3] % keys[-3] == 0
    else { throw invalid("query, key and value that fit each other") }
    for (input, view) in zip(inputs, [query, key, value]) where !view.fits(input) {
      throw EngineError(
        .invalidInput,
        "attention reads a part of the shape \(view.shape) outside an input (\(input)).")
    }
    let made = Extents(
      batch: batch, heads: own[-3], keyHeads: keys[-3], queries: own[-2], keys: keys[-2],
      width: own[-1], columns: values[-1])
    if hasMask {
      let scores = Shape(batch + [made.heads, made.queries, made.keys])
      guard Shape.broadcast(inputs[3], scores) == scores else {
        throw EngineError(
          .invalidInput,
          "attention has a mask of the shape \(inputs[3]), expected one for scores of the shape \(scores)."
        )
      }
    }
    return made
  }

  private func invalid(_ expected: String) -> EngineError {
    EngineError(
      .invalidInput,
      "attention has the shapes \(query.shape), \(key.shape) and \(value.shape), expected \(expected)."
    )
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
    var left: ReferenceTensor = query.elements(of: inputs[0])
    if scalesQuery { left = try scaled(left) }
    let keys: ReferenceTensor = key.elements(of: inputs[1]).repeatingHeads(group)
    let values: ReferenceTensor = value.elements(of: inputs[2]).repeatingHeads(group)
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
