import Graph
import ModelFormat

extension LayerDecoder {
  /// The error for a message of another kind than the layer decodes: a mistake of the catalogue.
  package func notA(_ field: String) -> EngineError {
    invalid("the message is not of type \(field).")
  }

  /// Signed numbers of the file as `Int`.
  package func integers(_ values: [Int64], _ field: String) throws -> [Int] {
    try values.map { try integer($0, field) }
  }

  /// Sizes of the file as `Int`.
  package func sizes(_ values: [UInt64], _ field: String) throws -> [Int] {
    try values.map { try size($0, field) }
  }

  /// Checks the number of outputs.
  package func requireOutputs(_ count: Int) throws {
    guard outputCount == count else {
      throw invalid("the layer names \(outputCount) outputs, expected \(count).")
    }
  }

  /// Two numbers in the order height, width, or the default where the field is empty.
  package func pair(_ values: [UInt64], _ field: String, default fallback: Int) throws -> (Int, Int)
  {
    if values.isEmpty { return (fallback, fallback) }
    guard values.count == 2 else {
      throw invalid("\(field) holds \(values.count) numbers, expected 2 (height, width).")
    }
    return (try size(values[0], field), try size(values[1], field))
  }
}
