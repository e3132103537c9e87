import Graph
import ModelFormat

extension Spec.WeightParams {
  /// Throws if the file has another number of values than `expected`. Reads no value.
  package func checkCount(_ expected: Int, shape: [Int], name: String) throws {
    let found: Int
    if !floatValue.isEmpty {
      found = floatValue.count
    } else if !float16Value.isEmpty {
      found = float16Value.count / 2
    } else if !rawValue.isEmpty {
      let bits = Int(clamping: quantization?.numberOfBits ?? 8)
      guard (1...8).contains(bits) else {
        throw EngineError(
          .invalidModel,
          "\(name) is quantised to \(bits) bits, expected 1 to 8. The file may be corrupt.")
      }
      // The last byte may have padding bits. So the check accepts any count whose bits fill the same number of bytes.
      let (needed, overflow) = expected.multipliedReportingOverflow(by: bits)
      if !overflow, (needed + 7) / 8 == rawValue.count { return }
      found = rawValue.count * 8 / bits
    } else {
      found = int8RawValue.count
    }
    guard found == expected else {
      throw EngineError(
        .invalidModel,
        "\(name) holds \(found) values, expected \(expected) (\(Shape(shape))). The file may be truncated."
      )
    }
  }
}
