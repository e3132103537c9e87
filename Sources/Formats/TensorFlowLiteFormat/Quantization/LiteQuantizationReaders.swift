import Graph
import Operators

/// Quantisation and dequantisation.
///
/// The graph stores the real numbers that a quantised tensor represents. So dequantisation adds no operator.
/// Quantisation adds no operator if the values are already on the output's grid.
enum LiteQuantizationReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("QUANTIZE", .any) { [try passed($0)] },
    LiteOperatorReader("DEQUANTIZE", .any) { [try passed($0)] },
    // The graph stores the values of a sparse tensor in dense form.
    LiteOperatorReader("DENSIFY") { operation in
      let tensor: LiteModel.Tensor = try operation.fileTensor(0)
      guard tensor.isConstant, let sparsity = tensor.sparsity else {
        throw operation.invalid("tensor '\(tensor.name)' is not a sparse constant.")
      }
      let dense: LiteModel.Tensor = tensor.dense(try sparsity.denseBytes(of: tensor))
      let id = operation.context.builder.addConstant(
        try dense.constant(), name: tensor.name)
      var result = LiteResult.written(id, grid: dense.quantization?.grid(of: dense.element))
      result.constant = dense
      return [result]
    },
    LiteOperatorReader("FAKE_QUANT", .any) { operation in
      let value = try operation.value(0)
      let bits: Int = try operation.int(2)
      var (least, most) = (try operation.float(0), try operation.float(1))
      guard (2...16).contains(bits), least.isFinite, most.isFinite, least < most else {
        throw operation.invalid(
          "it quantises to \(bits) bits from \(least) to \(most), expected 2 to 16 bits and a range from low to high."
        )
      }
      let range = (try operation.bool(3) ? 1 : 0)...((1 << bits) - 1)
      let scale: Float = (most - least) / Float(range.count - 1)
      // The range is shifted so that the number 0 is on the grid.
      let zero = Int(
        bounding: (Float(range.lowerBound) - least / scale).rounded(), to: range)
      (least, most) = (
        scale * Float(range.lowerBound - zero), scale * Float(range.upperBound - zero)
      )
      let grid = QuantizedGrid(scale: scale, zero: zero, range: range)
      let made = try operation.context.builder.quantized(
        value.id, to: grid, within: least...most, name: operation.name)
      return [operation.result(made, like: value.isPicture, grid: grid)]
    },
  ]

  private static func passed(_ operation: LiteOperation) throws -> LiteResult {
    let value = try operation.value(0)
    var result = operation.result(value.id, like: value.isPicture, grid: value.grid)
    result.constant = value.constant
    return result
  }
}
