import Graph

/// Truncates an index into a table with `entries` entries to an integer. Throws if the table has no such entry.
package func embeddingEntry(_ index: Double, of entries: Int) throws -> Int {
  guard index > -1, index < Double(entries) else {
    throw EngineError(
      .invalidInput,
      "the input holds the index \(index.indexText), expected a number from 0 to \(entries - 1).")
  }
  return Int(bounding: index)
}

extension [ReferenceTensor] {
  /// Returns a column of the table for every index in the first tensor. The table is the second tensor, of shape
  /// `[length, entries]`. If there is a third tensor, it is a bias that is added to every returned column.
  package func lookedUp() throws -> [Double] {
    let (length, entries) = (self[1].shape[0], self[1].shape[1])
    let table: [Double] = self[1].values
    let shifts: [Double]? = count > 2 ? self[2].values : nil
    var result: [Double] = []
    result.reserveCapacity(self[0].values.count * length)
    for index in self[0].values {
      let column: Int = try embeddingEntry(index, of: entries)
      for row in 0..<length {
        result.append(table[row * entries + column] + (shifts?[row] ?? 0))
      }
    }
    return result
  }
}
