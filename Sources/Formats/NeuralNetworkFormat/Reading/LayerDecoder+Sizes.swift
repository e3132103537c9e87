import Graph

extension LayerDecoder {
  /// Returns sizes from a signed field. A zero in the file means the default, `missing`.
  package func sizes(_ values: [Int32], _ field: String, default missing: Int = 0, least: Int = 1)
    throws -> [Int]
  {
    try values.map { (value: Int32) -> Int in
      let size: Int = value == 0 ? missing : Int(value)
      guard size >= least else {
        throw invalid("\(field) has the size \(value), expected at least \(least).")
      }
      return size
    }
  }
}
