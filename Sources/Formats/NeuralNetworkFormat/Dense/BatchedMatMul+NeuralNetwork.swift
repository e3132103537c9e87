import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let batchedMatMul = LayerReader("batchedMatmul", BatchedMatMulOperator.self) { decoder in
    try decoder.requireInputs(1...2)
    guard case .batchedMatmul(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    guard decoder.inputCount == 1 else {
      return DecodedLayer(
        BatchedMatMulOperator(
          transposesLeft: message.transposeA, transposesRight: message.transposeB))
    }
    let inner: Int = try decoder.size(
      message.weightMatrixFirstDimension, "weightMatrixFirstDimension")
    let columns: Int = try decoder.size(
      message.weightMatrixSecondDimension, "weightMatrixSecondDimension")
    guard inner > 0, columns > 0 else {
      throw decoder.invalid(
        "the weight matrix is \(inner) × \(columns), expected at least one row and one column.")
    }
    return DecodedLayer(
      BatchedMatMulOperator.ofRows,
      constants: try decoder.matrix(
        message.weights, [columns, inner], bias: message.hasBias ? .some(message.bias) : .none))
  }
}

extension BatchedMatMulOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    guard multipliesRows else {
      encoder.layer.layer = .batchedMatmul(
        .making {
          $0.transposeA = transposesLeft
          $0.transposeB = transposesRight
        })
      return
    }
    let matrix = try encoder.matrix()
    encoder.layer.layer = .batchedMatmul(
      .making {
        $0.weightMatrixFirstDimension = UInt64(matrix.shape[1])
        $0.weightMatrixSecondDimension = UInt64(matrix.shape[0])
        $0.weights = matrix.weights
        $0.hasBias = matrix.bias != nil
        $0.bias = matrix.bias
      })
  }
}
