extension Float {
  /// The value of a float16's bits, exactly. The same as `Float(Float16(bitPattern:))`, which calls a function of the
  /// compiler's library for every number where the program is not built for one processor.
  ///
  /// **Source:** IEEE 754-2008, 3.4 and 3.6.
  @inline(__always) public init(half bits: UInt16) {
    let magnitude = UInt32(bits & 0x7FFF)
    let value: UInt32 =
      if magnitude >= 0x7C00 {
        magnitude << 13 | 0x7F80_0000
      } else if magnitude >= 0x400 {
        (magnitude << 13) + (112 << 23)
      } else {
        // Below the least normal number bits count multiples of 2⁻²⁴.
        (Float(Int32(magnitude)) * 0x1p-24).bitPattern
      }
    self.init(bitPattern: value | UInt32(bits & 0x8000) << 16)
  }
}
