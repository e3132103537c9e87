import Graph
import Operators

/// Real numbers as whole ones and back.
///
/// The graph holds the real numbers that the codes of a quantised tensor stand for. So turning codes into real
/// numbers computes nothing, and neither does turning them back where nothing has changed them since.
enum LiteQuantizationReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("QUANTIZE", .any) { [try passed($0)] },
    LiteOperatorReader("DEQUANTIZE", .any) { [try passed($0)] },
    LiteOperatorReader("FAKE_QUANT", .any) { operation in
      let value = try operation.value(0)
      let bits: Int = try operation.int(2)
      var (least, most) = (try operation.float(0), try operation.float(1))
      guard (2...16).contains(bits), least.isFinite, most.isFinite, least < most else {
        throw operation.invalid("\(bits) bits from \(least) to \(most) cannot be.")
      }
      let codes = (try operation.bool(3) ? 1 : 0)...((1 << bits) - 1)
      let scale: Float = (most - least) / Float(codes.count - 1)
      // The range is moved so that 0 has a code.
      let zero = Int(
        bounding: (Float(codes.lowerBound) - least / scale).rounded(), to: codes)
      (least, most) = (
        scale * Float(codes.lowerBound - zero), scale * Float(codes.upperBound - zero)
      )
      let grid = QuantizedGrid(scale: scale, zero: zero, codes: codes)
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
