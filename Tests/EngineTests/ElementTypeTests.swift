import Engine
import Testing

@Suite("Element types")
struct ElementTypeTests {
  @Test("float16 and bfloat16 round once, to nearest, ties to even")
  func rounding() {
    #expect(ElementType.float16.rounded(2049) == 2048)
    #expect(ElementType.float16.rounded(2051) == 2052)
    #expect(ElementType.float16.rounded(65_520) == .infinity)
    #expect(ElementType.bfloat16.rounded(257) == 256)
    #expect(ElementType.bfloat16.rounded(259) == 260)
    // The number is slightly above the middle of two bfloat16 numbers, so it rounds up. An intermediate rounding to
    // float32 would give the middle itself, which rounds to even, here down.
    #expect(ElementType.bfloat16.rounded(257 + 0x1p-40) == 258)
    #expect(ElementType.bfloat16.rounded(-257 - 0x1p-40) == -258)
    #expect(ElementType.float16.rounded(.nan).isNaN)
  }

  @Test("32- and 64-bit integers are stored exactly over their full range")
  func integers() throws {
    let cases: [(ElementType, [Int64])] = [
      (.int64, [Int64.min, -1, 0, 1, (1 << 53) + 1, Int64.max]),
      (.int32, [Int64(Int32.min), -1, 0, 16_777_217, Int64(Int32.max)]),
      (.uint8, [0, 128, 255]), (.int16, [-32_768, 32_767]), (.uint32, [4_294_967_295]),
    ]
    for (type, numbers) in cases {
      let tensor = ReferenceTensor([numbers.count], integerValues: numbers, type)
      let form = TensorDescriptor(tensor.shape, type)
      let buffer = try AlignedBuffer(byteCount: form.byteCount)
      TensorCodec.pack(tensor, as: form, into: buffer.pointer)
      #expect(TensorCodec.unpack(buffer.pointer, as: form) == tensor)
    }
  }

  @Test("Conversion to integers truncates and saturates; NaN becomes 0")
  func cutting() {
    let reals = ReferenceTensor([5], [-1.9, 300, .nan, 2.5, -.infinity])
    #expect(reals.converted(to: .uint8).integerValues == [0, 255, 0, 2, 0])
    #expect(reals.converted(to: .int32).integerValues == [-1, 300, 0, 2, Int64(Int32.min)])
    #expect(reals.converted(to: .bool).integerValues == [1, 1, 0, 1, 1])
  }

  @Test("Sizes count bits, and the last byte is padded")
  func sizes() {
    #expect(ElementType.uint3.byteCount(of: 3) == 2)
    #expect(ElementType.uint1.byteCount(of: 9) == 2)
    #expect(ElementType.int64.byteCount(of: Int.max) == Int.max)
  }
}
