extension [Int] {
  /// The numbers as values of an unsigned field. A negative number keeps its two's-complement bits. Where a field may
  /// hold negative numbers, its readers expect these bits.
  package var sizes: [UInt64] { map { UInt64(bitPattern: Int64($0)) } }

  /// The numbers as values of a signed field.
  package var integers: [Int64] { map { Int64($0) } }
}
