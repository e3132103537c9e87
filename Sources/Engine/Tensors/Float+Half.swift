extension Float {
  /// Creates the exact value of a float16 from its bits. The result equals `Float(Float16(bitPattern:))`. This
  /// initialiser is faster: in a build without the processor's float16 instructions, `Float(Float16(bitPattern:))`
  /// calls a library function for every number.
  ///
  /// **Source:** IEEE 754-2008, 3.4 and 3.6.
  @inline(__always) public init(half bits: UInt16) {
    let magnitude = UInt32(bits & 0x7FFF)
    let moved: UInt32 = magnitude << 13
    // Subnormal numbers are multiples of 2⁻²⁴. Computes the results for subnormal numbers, for normal numbers and for
    // infinity or NaN, then selects one, so that loops have no branches.
    let small: UInt32 = (Float(Int32(bitPattern: magnitude)) * 0x1p-24).bitPattern
    let finite: UInt32 = magnitude < 0x400 ? small : moved &+ (112 << 23)
    let value: UInt32 = magnitude < 0x7C00 ? finite : moved | 0x7F80_0000
    self.init(bitPattern: value | UInt32(bits & 0x8000) << 16)
  }
}
