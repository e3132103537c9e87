import Backends
import Graph
import Operators

extension InnerProductOperator: TunedOperator {
  public var tuningKey: String {
    "inner product"
  }

  public var readsPictures: Bool { false }

  public func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    Double(outputs[0].shape.count) * Double(inputs[1].shape[1])
  }

  /// Returns the same operation with fewer rows, for an input that is not flattened.
  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    guard inputs[0].shape.rank <= 3, let fewer = inputs.withRows(share) else { return nil }
    return (self, fewer)
  }
}

extension BatchedMatMulOperator: TunedOperator {
  public var tuningKey: String {
    let words: [String?] = [
      multipliesRows ? "product of rows" : "matrix products",
      transposesLeft ? "left transposed" : nil, transposesRight ? "right transposed" : nil,
    ]
    return words.compactMap { $0 }.joined(separator: ", ")
  }

  public var readsPictures: Bool { false }

  public func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    let left: Shape = inputs[0].shape
    let isTransposed: Bool = transposesLeft && !multipliesRows && left.rank >= 2
    return Double(outputs[0].shape.count) * Double(left[isTransposed ? -2 : -1])
  }

  /// Returns the same operation with fewer rows of the left matrices.
  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    guard !transposesLeft, let fewer = inputs.withRows(share) else { return nil }
    return (self, fewer)
  }
}

extension FusedProduct: TunedOperator {
  public var tuningKey: String {
    ([core.tuningKey] + epilogue.map(\.description)).joined(separator: ", ")
  }

  public var readsPictures: Bool { false }

  public func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    core.multiplyAddCount(inputs, outputs)
  }

  /// Returns the same operation with fewer rows.
  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    inputs.withRows(share).map { (self, $0) }
  }
}

extension [TensorType] {
  /// Returns the same types, but with only this share of the rows of the first type. Keeps enough rows to be timed
  /// well. Nil if nearly all rows would be kept.
  fileprivate func withRows(_ share: Double) -> [TensorType]? {
    guard let shape: Shape = first?.shape, shape.rank >= 2 else { return nil }
    let rows: Int = Swift.max(Int((Double(shape[-2]) * share).rounded(.up)), Self.leastTrialRows)
    guard rows * 5 < shape[-2] * 4 else { return nil }
    var result: [TensorType] = self
    result[0].shape[-2] = rows
    return result
  }

  /// If only some rows are timed, at least this many are timed. The number is a multiple of the block sizes of all
  /// kernels.
  private static var leastTrialRows: Int { 192 }
}
