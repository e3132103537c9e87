import Graph
import Operators

/// Attention as a single operation.
enum AttentionReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "scaled_dot_product_attention", since: .iOS18,
      as: [BatchedMatMulOperator.self, SoftmaxNDOperator.self]
    ) { operation in
      let names: [String] = ["query", "key", "value"]
      let tensors: [ProgramTensor] = try names.map { try operation.tensor($0) }
      let rank = try operation.rank("query")
      guard rank >= 2, tensors.allSatisfy({ $0.rank == rank }) else {
        throw operation.invalid(
          "query, key and value have \(tensors.map { "\($0.rank ?? 0)" }.joined(separator: ", ")) axes, expected the same number, 3 or more."
        )
      }
      guard let width = tensors[0].extents?[rank - 1] ?? tensors[1].extents?[rank - 1], width > 0
      else {
        throw operation.unsupported("the last extent of query and key is not known.")
      }
      let factor = Float(1 / Double(width).squareRoot())
      var scores = operation.add(
        BatchedMatMulOperator(transposesRight: true), tensors[0].id, tensors[1].id)
      scores = operation.add(ActivationOperator(.linear(alpha: factor, beta: 0)), scores)
      if let mask = try operation.optionalTensor("attn_mask") {
        scores = operation.masked(scores, by: mask)
      }
      let weights = operation.add(SoftmaxNDOperator(axis: -1), scores)
      return [.value(operation.add(BatchedMatMulOperator(), weights, tensors[2].id))]
    }
  ]
}

extension ProgramOperation {
  /// Applies a mask to attention scores. In a boolean mask, true keeps the score, and false sets the score to −∞. A
  /// mask of numbers is added to the scores.
  fileprivate func masked(_ scores: Graph.ValueID, by mask: ProgramTensor) -> Graph.ValueID {
    guard mask.element == .bool else {
      return add(BinaryFunctionOperator(.add), scores, real(mask))
    }
    return add(WhereBroadcastableOperator(), mask.id, scores, constant(-.infinity))
  }
}
