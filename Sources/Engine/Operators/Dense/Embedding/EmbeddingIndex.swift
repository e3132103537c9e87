import Graph

/// The place of an index in a table of so many entries; throws where there is none.
package func embeddingEntry(_ index: Double, of entries: Int) throws -> Int {
  guard index > -1, index < Double(entries) else {
    throw EngineError(
      .invalidInput,
      "the input holds the index \(index.indexText), expected a number from 0 to \(entries - 1).")
  }
  return Int(bounding: index)
}

extension [ReferenceTensor] {
  /// For every index in the first tensor its column of the second, a table `[length, entries]`, plus the
  /// third if there is one.
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
