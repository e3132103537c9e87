import Engine
import Testing

@Suite("Shapes and layouts")
struct LayoutTests {
  @Test("Channels-last strides make the channels of a pixel adjacent")
  func channelsLast() {
    let form = TensorDescriptor([2, 3, 4, 5], .float32, .channelsLast)
    #expect(form.strides == [60, 1, 15, 3])
    let leading = TensorDescriptor([7, 2, 3, 4, 5], .float32, .channelsLast)
    #expect(leading.strides == [120, 60, 1, 15, 3])
  }

  @Test("One channel or one pixel has the same order in both layouts")
  func orderFree() {
    #expect(
      TensorDescriptor([1, 1, 4, 5], .float32, .channelsLast)
        .isSameMemory(as: TensorDescriptor([4, 5], .float32, .dense)))
    #expect(
      TensorDescriptor([1, 8, 1, 1], .float32, .channelsLast)
        .isSameMemory(as: TensorDescriptor([8])))
    #expect(
      !TensorDescriptor([1, 2, 4, 5], .float32, .channelsLast)
        .isSameMemory(as: TensorDescriptor([1, 2, 4, 5])))
    #expect(
      !TensorDescriptor([8], .bfloat16).isSameMemory(as: TensorDescriptor([8], .float32)))
  }

  @Test(
    "A tensor survives packing and unpacking in any form", arguments: [Layout.dense, .channelsLast])
  func codec(layout: Layout) throws {
    let tensor = ReferenceTensor([2, 3, 2, 2], (0..<24).map { Double($0) - 8 })
    for storage in [ElementType.float32, .bfloat16, .float16, .float64, .int8, .int32, .int64] {
      let form = TensorDescriptor(tensor.shape, storage, layout)
      let buffer = try AlignedBuffer(byteCount: form.byteCount)
      TensorCodec.pack(tensor, as: form, into: buffer.pointer)
      let back = withExtendedLifetime(buffer) { TensorCodec.unpack(buffer.pointer, as: form) }
      #expect(back == tensor.converted(to: storage))
      #expect(back.reals == tensor.values)
    }
  }

  @Test("A count beyond any memory size saturates instead of overflowing")
  func saturation() {
    #expect(Shape([1 << 40, 1 << 40]).count == Int.max)
  }

  @Test(
    "bfloat16 rounds to nearest, ties to even",
    arguments: [
      (Float(1), UInt16(0x3F80)), (1.00390625, 0x3F80), (1.01171875, 0x3F82), (-2, 0xC000),
      (.infinity, 0x7F80), (0, 0),
    ])
  func rounding(value: Float, bits: UInt16) {
    #expect(BFloat16.bits(of: value) == bits)
  }

  @Test("bfloat16 preserves NaN")
  func nan() { #expect(BFloat16.value(of: BFloat16.bits(of: Float.nan)).isNaN) }

  @Test("Broadcasting aligns shapes at the last dimension")
  func broadcast() {
    #expect(Shape.broadcast([3, 1, 5], [4, 1]) == [3, 4, 5])
    #expect(Shape.broadcast([3], [2, 3]) == [2, 3])
    #expect(Shape.broadcast([3], [4]) == nil)
  }
}
