import CKernels
import COneDNN
import Testing

extension KernelTests {
  /// Computes a product of rows with weights `[columns, inner]`, or `[inner, columns]` if `isTransposed`.
  private func product(
    rows: Int, inner: Int, columns: Int, isTransposed: Bool, keepsFloat16: Bool,
    packsFloat16: Bool = false, _ source: [Float], _ weights: [Float], _ bias: [Float]
  ) throws -> (bits: [UInt32], byteCount: Int) {
    var d = ck_convolution()
    (d.batch, d.input_height, d.output_height) = (1, 1, 1)
    (d.input_width, d.output_width) = (Int64(rows), Int64(rows))
    (d.input_channels, d.output_channels) = (Int64(inner), Int64(columns))
    (d.kernel_height, d.kernel_width) = (1, 1)
    (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
    d.upsample = 1
    d.deconvolution = isTransposed ? 1 : 0
    (d.source_type, d.destination_type) = (CK_F32, CK_F32)
    (d.has_bias, d.rounds) = (1, 1)
    d.has_float16_weights = keepsFloat16 ? 1 : 0
    let plan = try #require(ck_convolution_create(&d))
    defer { ck_convolution_destroy(plan) }
    #expect(String(cString: ck_convolution_name(plan)).hasPrefix("product"))
    let byteCount: Int = ck_convolution_weights_bytes(plan)
    let packed = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: ck_convolution_scratch_bytes(plan, 3), alignment: 64)
    defer { for memory in [packed, scratch] { memory.deallocate() } }
    if packsFloat16 {
      let halves: [UInt16] = weights.map(Values.floatToHalf)
      let isPacked: Bool = halves.withUnsafeBytes {
        ck_convolution_pack_float16(plan, $0.baseAddress, packed) == 0
      }
      #expect(isPacked == (keepsFloat16 && ck_instructions() > 0))
      if !isPacked { ck_convolution_pack(plan, weights, packed) }
    } else {
      ck_convolution_pack(plan, weights, packed)
    }
    var result = [Float](repeating: .nan, count: rows * columns)
    let status: Int32 = source.withUnsafeBytes { source in
      bias.withUnsafeBufferPointer { bias in
        result.withUnsafeMutableBytes { result in
          var arguments = ck_convolution_arguments()
          arguments.source = source.baseAddress
          arguments.weights = UnsafeRawPointer(packed)
          arguments.bias = bias.baseAddress
          arguments.destination = result.baseAddress
          arguments.scratch = scratch
          arguments.threads = 3
          return ck_convolution_run(plan, &arguments)
        }
      }
    }
    try #require(status == 0)
    return (result.map(\.bitPattern), byteCount)
  }

  @Test("Products give the same bits whether they keep float16 weights or widen them first")
  func float16Weights() throws {
    var numbers = Numbers(seed: 9)
    defer { adnn_set_threads(2) }
    adnn_set_threads(3)
    for (rows, inner, columns) in [(18, 1, 16), (40, 33, 7), (25, 64, 80), (130, 150, 200)] {
      let source: [Float] = numbers.array(rows * inner)
      let weights: [Float] = numbers.array(inner * columns).map {
        Values.halfToFloat(Values.floatToHalf($0))
      }
      let bias: [Float] = numbers.array(columns)
      for isTransposed in [false, true] {
        try onEachInstructionSet { level in
          func made(_ keepsFloat16: Bool, packs packsFloat16: Bool) throws -> (
            bits: [UInt32], byteCount: Int
          ) {
            try product(
              rows: rows, inner: inner, columns: columns, isTransposed: isTransposed,
              keepsFloat16: keepsFloat16, packsFloat16: packsFloat16, source, weights, bias)
          }
          let (kept, widened) = (try made(true, packs: true), try made(false, packs: true))
          #expect(kept.bits == widened.bits, "\(level) \(rows) × \(inner) × \(columns)")
          #expect(try made(true, packs: false).bits == kept.bits)
          if level > 0, inner * columns > 1000 {
            #expect(kept.byteCount < widened.byteCount * 6 / 10)
          }
        }
      }
    }
  }
}
