import Backends
import Graph
import Operators

extension InnerProductOperator: TunedOperator {
  public var tuningKey: String {
    "inner product" + (activation.map { ", \($0)" } ?? "")
  }

  public var readsPictures: Bool { false }

  public func productCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    Double(outputs[0].shape.count) * Double(inputs[1].shape[1])
  }

  /// Fewer rows of an input that is not flattened.
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
      epilogue.map { "\($0)" },
    ]
    return words.compactMap { $0 }.joined(separator: ", ")
  }

  public var readsPictures: Bool { false }

  public func productCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    let left: Shape = inputs[0].shape
    let isTurned: Bool = transposesLeft && !multipliesRows && left.rank >= 2
    return Double(outputs[0].shape.count) * Double(left[isTurned ? -2 : -1])
  }

  /// Fewer rows of the left matrices.
  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    guard !transposesLeft, let fewer = inputs.withRows(share) else { return nil }
    return (self, fewer)
  }
}

extension [TensorType] {
  /// The same with a share of the first one's rows, but enough of them; nil where that is nearly all.
  fileprivate func withRows(_ share: Double) -> [TensorType]? {
    guard let shape: Shape = first?.shape, shape.rank >= 2 else { return nil }
    let rows: Int = Swift.max(Int((Double(shape[-2]) * share).rounded(.up)), Self.leastTrialRows)
    guard rows * 5 < shape[-2] * 4 else { return nil }
    var result: [TensorType] = self
    result[0].shape[-2] = rows
    return result
  }

  /// The least rows that stand for more: whole blocks of all kernels.
  private static var leastTrialRows: Int { 192 }
}
