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

  /// The nearest float16, ties to even. Equals `Float(Float16(self))`, and is faster for the same reason.
  ///
  /// **Source:** IEEE 754-2008, 4.3.1.
  @inline(__always) package var roundedToHalf: Float {
    let magnitude: UInt32 = bitPattern & 0x7FFF_FFFF
    // Near 0.5, floats are multiples of 2⁻²⁴, as float16's subnormal numbers are.
    let small: UInt32 = ((Float(bitPattern: magnitude) + 0.5) - 0.5).bitPattern
    let normal: UInt32 = (magnitude &+ 0xFFF &+ ((magnitude >> 13) & 1)) & 0xFFFF_E000
    let finite: UInt32 = magnitude < 0x3880_0000 ? small : normal
    let bounded: UInt32 = finite >= 0x4780_0000 ? 0x7F80_0000 : finite
    let value: UInt32 = magnitude > 0x7F80_0000 ? 0x7FC0_0000 : bounded
    return Float(bitPattern: value | (bitPattern & 0x8000_0000))
  }
}
