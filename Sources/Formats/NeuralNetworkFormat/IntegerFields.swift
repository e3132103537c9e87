extension [Int] {
  /// The numbers as a field of sizes holds them; negative ones as readers that allow them expect.
  package var sizes: [UInt64] { map { UInt64(bitPattern: Int64($0)) } }

  /// The numbers as a field of signed integers holds them.
  package var integers: [Int64] { map { Int64($0) } }
}
