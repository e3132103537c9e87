extension Float {
  /// The value of a float16's bits, exactly. The same as `Float(Float16(bitPattern:))`, which calls a function of the
  /// compiler's library for every number where the program is not built for one processor.
  ///
  /// **Source:** IEEE 754-2008, 3.4 and 3.6.
  @inline(__always) public init(half bits: UInt16) {
    let magnitude = UInt32(bits & 0x7FFF)
    let moved: UInt32 = magnitude << 13
    // Below the least normal number bits count multiples of 2⁻²⁴. All three are made, so that loops take no branches.
    let small: UInt32 = (Float(Int32(bitPattern: magnitude)) * 0x1p-24).bitPattern
    let finite: UInt32 = magnitude < 0x400 ? small : moved &+ (112 << 23)
    let value: UInt32 = magnitude < 0x7C00 ? finite : moved | 0x7F80_0000
    self.init(bitPattern: value | UInt32(bits & 0x8000) << 16)
  }
}
