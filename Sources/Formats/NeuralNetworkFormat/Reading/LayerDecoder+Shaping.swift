import Graph
import ModelFormat

extension LayerDecoder {
  /// Returns the error for a message of the wrong type. Such a message means that the catalogue has a mistake.
  package func notA(_ field: String) -> EngineError {
    invalid("the message is not of type \(field).")
  }

  /// Returns signed numbers from the file as `Int`.
  package func integers(_ values: [Int64], _ field: String) throws -> [Int] {
    try values.map { try integer($0, field) }
  }

  /// Returns sizes from the file as `Int`.
  package func sizes(_ values: [UInt64], _ field: String) throws -> [Int] {
    try values.map { try size($0, field) }
  }

  /// Throws if the number of the layer's outputs is not `count`.
  package func requireOutputs(_ count: Int) throws {
    guard outputCount == count else {
      throw invalid("the layer names \(outputCount) outputs, expected \(count).")
    }
  }

  /// Returns the two numbers of a field, height and width. Both numbers are `fallback` if the field is empty.
  package func pair(_ values: [UInt64], _ field: String, default fallback: Int) throws -> (Int, Int)
  {
    if values.isEmpty { return (fallback, fallback) }
    guard values.count == 2 else {
      throw invalid("\(field) holds \(values.count) numbers, expected 2 (height, width).")
    }
    return (try size(values[0], field), try size(values[1], field))
  }
}
