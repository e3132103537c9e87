extension [Int] {
  /// The numbers as values of an unsigned field. A negative number keeps its two's-complement bits. Fields that may
  /// hold negative numbers store them in this form.
  package var sizes: [UInt64] { map { UInt64(bitPattern: Int64($0)) } }

  /// The numbers as values of a signed field.
  package var integers: [Int64] { map { Int64($0) } }
}
