import CKernels
import COneDNN
import Testing

extension KernelTests {
  /// Creates a random convolution. The window, the strides, the groups and the crop vary, images may be narrower than
  /// the window, and numbers of channels may be odd.
  private func randomBytes(_ numbers: inout Numbers) -> ck_quantized_convolution {
    func upTo(_ limit: Int64) -> Int64 { 1 + Int64(numbers.integer(below: Int(limit))) }
    func pick(_ list: [Int64]) -> Int64 { list[numbers.integer(below: list.count)] }
    var d = ck_quantized_convolution()
    d.batch = upTo(2)
    d.groups = pick([1, 1, 2, 5])
    d.input_channels = d.groups * pick([1, 3, 4, 7, 16])
    d.output_channels = d.groups * pick([1, 3, 16, 21, 33, 70])
    if numbers.integer(below: 4) == 0 {
      d.groups = pick([16, 17, 40])
      (d.input_channels, d.output_channels) = (d.groups, d.groups)
    }
    (d.input_height, d.input_width) = (upTo(9), upTo(14))
    (d.kernel_height, d.kernel_width) = (upTo(4), upTo(4))
    (d.stride_height, d.stride_width) = (upTo(3), upTo(2))
    (d.dilation_height, d.dilation_width) = (upTo(2), pick([1, 1, 2]))
    (d.pad_top, d.pad_left) = (pick([0, 0, 1, 4, -1]), pick([0, 0, 1, 4, -1]))
    (d.output_height, d.output_width) = (upTo(d.input_height + 2), upTo(d.input_width + 2))
    d.zero = Int32(pick([0, 5, 128, 255]))
    return d
  }

  /// Computes the sums by the definition of convolution. The order of the sums is that of the kernel's results.
  private func sums(_ d: ck_quantized_convolution, _ source: [UInt8], _ weights: [Float]) -> [Int] {
    let channels = d.input_channels / d.groups
    var result: [Int] = []
    for n in 0..<d.batch {
      for y in 0..<d.output_height {
        for x in 0..<d.output_width {
          for o in 0..<d.output_channels {
            let first = o / (d.output_channels / d.groups) * channels
            var sum = 0
            for ky in 0..<d.kernel_height {
              for kx in 0..<d.kernel_width {
                let iy: Int64 = y * d.stride_height + ky * d.dilation_height - d.pad_top
                let ix: Int64 = x * d.stride_width + kx * d.dilation_width - d.pad_left
                guard iy >= 0, iy < d.input_height, ix >= 0, ix < d.input_width else { continue }
                let pixel: Int64 = (n * d.input_height + iy) * d.input_width + ix
                for c in 0..<channels {
                  let position: Int64 = (o * channels + c) * d.kernel_height + ky
                  let byte = source[Int(pixel * d.input_channels + first + c)]
                  sum +=
                    Int(weights[Int(position * d.kernel_width + kx)]) * (Int(byte) - Int(d.zero))
                }
              }
            }
            result.append(sum)
          }
        }
      }
    }
    return result
  }

  /// Runs the kernel. The packed weights, the scratch memory and the result are separate allocations, so that a
  /// sanitizer detects an access beyond the end of one of them.
  private func run(
    _ d: inout ck_quantized_convolution, _ source: [UInt8], _ weights: [Float], _ factors: [Float],
    _ bias: [Float]
  ) -> [Float] {
    let count = Int(d.batch * d.output_height * d.output_width * d.output_channels)
    let packed = UnsafeMutableRawPointer.allocate(
      byteCount: ck_quantized_convolution_weights_bytes(&d), alignment: 64)
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: ck_quantized_convolution_scratch_bytes(&d), alignment: 64)
    let result = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
    defer { for memory in [packed, scratch, result] { memory.deallocate() } }
    ck_quantized_convolution_pack(&d, weights, packed)
    #expect(ck_quantized_convolution_run(&d, source, packed, factors, bias, result, scratch) == 0)
    return (0..<count).map {
      d.quantizes_result != 0
        ? Float(result.load(fromByteOffset: $0, as: UInt8.self))
        : result.load(fromByteOffset: $0 * 4, as: Float.self)
    }
  }

  @Test(
    "Int8 convolutions are exact for every instruction set and number of threads",
    arguments: 0..<120)
  func bytesAreExact(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    var d = randomBytes(&numbers)
    let pixels = Int(d.batch * d.input_height * d.input_width * d.input_channels)
    let area = Int(d.kernel_height * d.kernel_width)
    let count = Int(d.output_channels * (d.input_channels / d.groups)) * area
    let extremes: [Int] = [0, 255]
    let source: [UInt8] = (0..<pixels).map { _ in
      UInt8(seed % 3 == 0 ? extremes[numbers.integer(below: 2)] : numbers.integer(below: 256))
    }
    let weights: [Float] = (0..<count).map { _ in Float(numbers.integer(below: 256) - 128) }
    let outputs = Int(d.output_channels)
    let exact: [Int] = sums(d, source, weights)
    // With these scales and biases, nothing is rounded before the quantisation.
    let factors: [Float] = (0..<outputs).map { $0 % 2 == 0 ? 0x1p-4 : 0x1p-5 }
    let bias: [Float] = (0..<outputs).map { Float($0 % 9) - 4 }
    let quantized: [Float] = exact.enumerated().map { index, sum in
      let real: Float = max((Float(sum) + bias[index % outputs]) * factors[index % outputs], 0)
      return min(max((real * 0.25).rounded(.toNearestOrEven), -3), 200) + 3
    }
    defer { adnn_set_threads(2) }
    try onEachInstructionSet { level in
      for threads: Int32 in [1, 2, 3] {
        adnn_set_threads(threads)
        (d.quantizes_result, d.activation) = (0, CK_IDENTITY)
        try #require(ck_quantized_convolution_suits(&d) != 0)
        let ones = [Float](repeating: 1, count: outputs)
        let none = [Float](repeating: 0, count: outputs)
        #expect(run(&d, source, weights, ones, none) == exact.map(Float.init), "\(level) \(d)")
        (d.quantizes_result, d.activation, d.scale) = (1, CK_RELU, 0.25)
        (d.least, d.greatest) = (-3, 200)
        #expect(run(&d, source, weights, factors, bias) == quantized, "\(level) \(d)")
      }
    }
  }

  @Test("Int8 convolutions refuse sums beyond 32 bits and invalid sizes")
  func bytesRefuse() {
    var d = ck_quantized_convolution()
    (d.batch, d.groups, d.input_height, d.input_width) = (1, 1, 1, 1)
    (d.output_height, d.output_width, d.kernel_height, d.kernel_width) = (1, 1, 1, 1)
    (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
    (d.input_channels, d.output_channels) = (65_000, 1)
    #expect(ck_quantized_convolution_suits(&d) != 0)
    d.input_channels = 66_000
    #expect(ck_quantized_convolution_suits(&d) == 0)
    (d.input_channels, d.groups) = (6, 4)
    #expect(ck_quantized_convolution_suits(&d) == 0)
    (d.groups, d.kernel_width) = (1, 1 << 40)
    #expect(ck_quantized_convolution_suits(&d) == 0)
  }
}
