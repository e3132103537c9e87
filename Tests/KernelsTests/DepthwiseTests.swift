import CKernels
import COneDNN
import Testing

extension KernelTests {
  /// Creates a random depthwise convolution. The window has one of the two supported widths, and the horizontal stride
  /// is 1 or 2. The image may be narrower than the window, and the channels need not fill vectors.
  private func randomDepthwise(_ numbers: inout Numbers) -> ck_depthwise {
    func upTo(_ limit: Int64) -> Int64 { 1 + Int64(numbers.integer(below: Int(limit))) }
    func pick(_ list: [Int64]) -> Int64 { list[numbers.integer(below: list.count)] }
    var d = ck_depthwise()
    d.batch = upTo(2)
    d.channels = pick([16, 17, 31, 32, 48, 200, 400])
    d.input_height = pick([3, 7, 30, 60])
    d.input_width = pick([1, 2, 4, 7, 9, 15, 33])
    d.kernel_height = upTo(5)
    d.kernel_width = pick([3, 5])
    d.stride_height = upTo(3)
    d.stride_width = upTo(2)
    d.dilation_height = upTo(2)
    d.pad_top = upTo(4) - 1
    d.pad_left = upTo(9) - 1
    d.output_height = upTo(d.input_height + 3)
    d.output_width = 3 + upTo(d.input_width + 10)
    d.type = numbers.integer(below: 2) == 0 ? CK_F32 : CK_BF16
    d.activation = [CK_IDENTITY, CK_RELU, CK_CLIP, CK_LEAKY_RELU][numbers.integer(below: 4)]
    (d.alpha, d.beta) = (-0.25, 0.75)
    return d
  }

  @Test("Depthwise convolutions match plain loops", arguments: 0..<60)
  func depthwiseEqualsLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    var d = randomDepthwise(&numbers)
    let (channels, area) = (Int(d.channels), Int(d.kernel_height * d.kernel_width))
    let source = Values(
      d.type, numbers.array(Int(d.batch * d.input_height * d.input_width) * channels))
    let weights = numbers.array(channels * area)
    let bias = numbers.array(channels)
    var expected: [Double] = []
    for n in 0..<d.batch {
      for y in 0..<d.output_height {
        for x in 0..<d.output_width {
          for c in 0..<channels {
            var value = Double(bias[c])
            for ky in 0..<d.kernel_height {
              for kx in 0..<d.kernel_width {
                let iy: Int64 = y * d.stride_height + ky * d.dilation_height - d.pad_top
                let ix: Int64 = x * d.stride_width + kx - d.pad_left
                guard iy >= 0, iy < d.input_height, ix >= 0, ix < d.input_width else { continue }
                let line: Int64 = n * d.input_height + iy
                let pixel = Int(line * d.input_width + ix)
                let tap = Int(ky * d.kernel_width + kx)
                let weight: Float = weights[c * area + tap]
                value += Double(source[pixel * channels + c]) * Double(weight)
              }
            }
            if d.activation == CK_RELU { value = max(value, 0) }
            if d.activation == CK_CLIP { value = min(max(value, -0.25), 0.75) }
            if d.activation == CK_LEAKY_RELU, value < 0 { value *= -0.25 }
            expected.append(value)
          }
        }
      }
    }
    #expect(ck_depthwise_suits(&d) != 0)
    expectResults(expected, within: d.type == CK_BF16 ? 0.008 : 1e-4, "\(d)") { _ in
      var packed = [Float](repeating: .nan, count: ck_depthwise_weights_bytes(&d) / 4)
      ck_depthwise_pack(&d, weights, &packed)
      let result = Values(d.type, count: expected.count)
      #expect(ck_depthwise_run(&d, source.pointer, packed, bias, result.pointer) == 0)
      return result.array
    }
  }

  @Test("The result is NaN for every window that contains NaN, and for no other")
  func depthwiseKeepsNaN() {
    var d = ck_depthwise(
      batch: 1, channels: 16, input_height: 3, input_width: 9, output_height: 3, output_width: 9,
      kernel_height: 3, kernel_width: 3, stride_height: 1, stride_width: 1, dilation_height: 1,
      pad_top: 1, pad_left: 1, type: CK_F32, activation: CK_CLIP, alpha: 0, beta: 6, rounds: 0)
    var source = [Float](repeating: 1, count: 27 * 16)
    source[(9 + 4) * 16 + 5] = .nan
    var result = [Float](repeating: 0, count: 27 * 16)
    #expect(ck_depthwise_run(&d, source, [Float](repeating: 1, count: 9 * 16), nil, &result) == 0)
    let nanIndices = result.indices.filter { result[$0].isNaN }
    let expected = (0..<3).flatMap { y in (3..<6).map { x in (y * 9 + x) * 16 + 5 } }
    #expect(nanIndices == expected)
    #expect(result[0] == 4 && result[(9 + 1) * 16] == 6)
  }
}
