import CKernels
import COneDNN
import Foundation
import Testing

/// Creates a random convolution. The convolutions of many seeds together reach every code path: edges, dilation, odd
/// numbers of channels, wide and negative padding, and few output channels, for which a kernel sums column by column.
/// They also reach upsampled inputs and strided deconvolutions, where neighbouring outputs use different weights.
func randomConvolution(_ numbers: inout Numbers) -> ck_convolution {
  func pick(_ list: [Int64]) -> Int64 { list[numbers.integer(below: list.count)] }
  func upTo(_ limit: Int64) -> Int64 { 1 + Int64(numbers.integer(below: Int(max(limit, 1)))) }
  var d = ck_convolution()
  d.batch = upTo(2)
  d.input_channels = pick([1, 2, 3, 5, 8, 16, 33])
  d.output_channels = pick([1, 2, 3, 4, 7, 16, 27, 40, 64, 70])
  d.kernel_height = upTo(4)
  d.kernel_width = upTo(9)
  d.input_height = upTo(8)
  d.input_width = upTo(30)
  (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
  d.upsample = 1
  let mode = numbers.integer(below: 4)
  if mode == 1 {
    d.upsample = Int32(pick([2, 3]))
  } else {
    d.deconvolution = mode == 2 ? 1 : 0
    d.stride_height = upTo(3)
    d.stride_width = upTo(3)
    d.dilation_height = pick([1, 1, 3])
    d.dilation_width = pick([1, 1, 2, 11])
  }
  d.pad_top = upTo(4) - 1
  d.pad_left = upTo(20) - 1
  if d.deconvolution == 0, numbers.integer(below: 4) == 0 {
    d.pad_top = -upTo(d.input_height + 1)
    d.pad_left = -upTo(d.input_width + 1)
  }
  let scaleY = d.deconvolution == 1 ? d.stride_height : 1
  let scaleX = d.deconvolution == 1 ? d.stride_width : 1
  d.output_height = upTo((d.input_height * Int64(d.upsample) + 2) * scaleY)
  d.output_width = upTo((d.input_width * Int64(d.upsample) + 20) * scaleX)
  d.source_type = numbers.integer(below: 2) == 0 ? CK_F32 : CK_BF16
  d.destination_type = numbers.integer(below: 2) == 0 ? CK_F32 : CK_BF16
  d.has_bias = Int32(numbers.integer(below: 2))
  d.has_residual = Int32(numbers.integer(below: 2))
  d.has_scale = Int32(numbers.integer(below: 2))
  d.activation = [CK_IDENTITY, CK_RELU, CK_TANH, CK_CLIP][numbers.integer(below: 4)]
  (d.alpha, d.beta) = (-0.5, 1.5)
  return d
}

/// Creates a random convolution that is one product of matrices: 1 × 1 windows, with or without residual. Some panels of
/// outputs are half full, rows may not fill tiles, and some panels of weights exceed the first-level cache.
private func randomProduct(_ numbers: inout Numbers) -> ck_convolution {
  func pick(_ list: [Int64]) -> Int64 { list[numbers.integer(below: list.count)] }
  var d = randomConvolution(&numbers)
  (d.batch, d.upsample, d.deconvolution, d.has_scale) = (pick([1, 2]), 1, 0, 0)
  (d.kernel_height, d.kernel_width, d.pad_top, d.pad_left) = (1, 1, 0, 0)
  (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
  d.input_channels = pick([1, 3, 16, 33, 72, 530])
  d.output_channels = pick([5, 8, 16, 20, 24, 40, 41, 56])
  d.input_height = pick([1, 3, 5])
  d.input_width = pick([6, 7, 12, 17, 20])
  (d.output_height, d.output_width) = (d.input_height, d.input_width)
  (d.source_type, d.destination_type) = (CK_F32, numbers.integer(below: 4) == 0 ? CK_BF16 : CK_F32)
  d.activation = [CK_IDENTITY, CK_RELU, CK_TANH, CK_CLIP, CK_HARD_SWISH][numbers.integer(below: 5)]
  return d
}

/// Creates a random convolution for the Winograd kernels. It has 3 × 3 windows, channels in multiples of the vector
/// length, and partial tiles at the edges.
private func randomWinograd(_ numbers: inout Numbers) -> ck_convolution {
  var d = randomConvolution(&numbers)
  func upTo(_ limit: Int) -> Int64 { 1 + Int64(numbers.integer(below: limit)) }
  d.winograd_tile = numbers.integer(below: 2) == 0 ? 2 : 4
  d.input_channels = 16 * upTo(3)
  d.output_channels = 16 * upTo(6)
  (d.kernel_height, d.kernel_width, d.upsample) = (3, 3, 1)
  (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
  d.input_height = upTo(13)
  d.output_height = upTo(Int(d.input_height) + 2)
  d.output_width = upTo(Int(d.input_width) + 2)
  // A crop of the results is represented as negative padding.
  let least: Int64 = d.deconvolution == 1 ? 0 : -3
  d.pad_top = least + upTo(Int(3 - least)) - 1
  d.pad_left = least + upTo(Int(3 - least)) - 1
  return d
}

/// Creates a random convolution of an upsampled image for the Winograd kernels. It has odd padding, and partial tiles
/// at the edges.
private func randomRepeated(_ numbers: inout Numbers) -> ck_convolution {
  var d = randomWinograd(&numbers)
  func upTo(_ limit: Int) -> Int64 { 1 + Int64(numbers.integer(below: limit)) }
  (d.winograd_tile, d.upsample, d.deconvolution) = (4, 2, 0)
  d.pad_top = 2 * upTo(3) - 1
  d.pad_left = 2 * upTo(3) - 1
  d.output_height = upTo(2 * Int(d.input_height) + 5)
  d.output_width = upTo(2 * Int(d.input_width) + 5)
  return d
}

/// Creates a random convolution with stride 2 for the Winograd kernels. Its padding may be even, odd or negative, and
/// it has partial tiles at the edges.
private func randomStrided(_ numbers: inout Numbers) -> ck_convolution {
  var d = randomWinograd(&numbers)
  func upTo(_ limit: Int) -> Int64 { 1 + Int64(numbers.integer(below: limit)) }
  (d.winograd_tile, d.stride_height, d.stride_width, d.deconvolution) = (3, 2, 2, 0)
  d.output_height = upTo((Int(d.input_height) + 4) / 2)
  d.output_width = upTo((Int(d.input_width) + 4) / 2)
  return d
}

/// Creates a random convolution for the blocked Winograd kernels. Its window has 3 to 11 rows and columns. The channels
/// need not fill vectors, tiles may be partial, and the kernel may have to process the image in several strips of
/// tiles.
private func randomWideWinograd(_ numbers: inout Numbers) -> ck_convolution {
  var d = randomConvolution(&numbers)
  func upTo(_ limit: Int) -> Int64 { 1 + Int64(numbers.integer(below: limit)) }
  func pick(_ list: [Int64]) -> Int64 { list[numbers.integer(below: list.count)] }
  d.winograd_tile = 3
  d.deconvolution = 0
  (d.upsample, d.stride_height, d.stride_width) = (1, 1, 1)
  (d.dilation_height, d.dilation_width) = (1, 1)
  d.input_channels = pick([1, 3, 4, 16, 32, 48])
  d.output_channels = pick([1, 2, 3, 4, 5, 16, 23, 32])
  d.kernel_height = 2 + upTo(9)
  d.kernel_width = 2 + upTo(9)
  d.input_height = upTo(70)
  d.input_width = pick([1, 5, 30, 49, 70, 200])
  d.output_height = upTo(Int(d.input_height) + 2)
  d.output_width = upTo(Int(d.input_width) + 2)
  d.pad_top = upTo(16) - 8
  d.pad_left = upTo(16) - 8
  return d
}

/// Returns the input coordinate that output `position` reads for kernel element `k`. Nil if this coordinate is outside
/// the input.
private func inputCoordinate(
  _ position: Int64, _ k: Int64, stride: Int64, dilation: Int64, pad: Int64, size: Int64,
  _ d: ck_convolution
) -> Int? {
  if d.deconvolution == 1 {
    let distance = position + pad - k * dilation
    guard distance >= 0, distance % stride == 0, distance / stride < size else { return nil }
    return Int(distance / stride)
  }
  let at = position * stride - pad + k * dilation
  guard at >= 0, at < size * Int64(d.upsample) else { return nil }
  return Int(at) / Int(d.upsample)
}

extension KernelTests {
  @Test("All kinds of convolutions match plain loops", arguments: 0..<60)
  func convolutionsEqualLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    let d = randomConvolution(&numbers)
    // If the input is upsampled, several weights read the same input pixel. The kernel first adds these weights and
    // then rounds the sums to bfloat16, so the allowed error is larger.
    try expectLoops(
      d, &numbers, within: d.upsample > 1 ? 0.06 : d.destination_type == CK_BF16 ? 0.008 : 1e-4)
  }

  @Test("Convolutions that are products of matrices match plain loops", arguments: 0..<80)
  func productsEqualLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    let d = randomProduct(&numbers)
    let bound: Double = d.destination_type == CK_BF16 ? 0.008 : 1e-4
    try expectResultsOfLoops(d, &numbers, within: (bound, bound)) { name in
      // Tiles of the largest vectors have 18 rows.
      #expect(name.hasPrefix("product:") || d.batch * d.input_height * d.input_width < 18)
    }
  }

  @Test("Winograd convolution matches plain loops", arguments: 0..<60)
  func winogradEqualsLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    let d = randomWinograd(&numbers)
    try expectTransformedLoops(d, &numbers, rounding: d.winograd_tile == 2 ? 0.02 : 0.06)
  }

  @Test("Winograd convolution F(6 × 6, 3 × 3) matches plain loops", arguments: 0..<60)
  func sixesEqualLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    var d = randomWinograd(&numbers)
    d.winograd_tile = 6
    // F(6 × 6), Winograd's algorithm for tiles of 6 × 6 outputs, multiplies in float32 on every processor. Its error is
    // five times the error of F(4 × 4).
    let exact: Double = d.destination_type == CK_BF16 ? 0.008 : 5e-4
    try expectLoops(d, &numbers, within: exact, exact)
  }

  @Test("Winograd convolution of upsampled images matches plain loops", arguments: 0..<60)
  func repeatedWinogradEqualsLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    try expectTransformedLoops(randomRepeated(&numbers), &numbers, rounding: 0.02)
  }

  @Test("Winograd convolution with stride 2 matches plain loops", arguments: 0..<60)
  func stridedWinogradEqualsLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    try expectTransformedLoops(randomStrided(&numbers), &numbers, rounding: 0.02)
  }

  /// Checks Winograd kernels that round inputs and weights after transforming them. The allowed error is `rounding` for
  /// one input channel, and grows with the square root of the number of input channels. F(2 × 2) needs a smaller
  /// `rounding` than F(4 × 4), because its transforms only add and subtract.
  private func expectTransformedLoops(
    _ d: ck_convolution, _ numbers: inout Numbers, rounding: Double
  ) throws {
    try expectLoops(
      d, &numbers, within: rounding * Double(d.input_channels * 9).squareRoot() / 3)
  }

  @Test("Winograd convolution requires odd padding or F(3 × 3) tiles")
  func winogradHasBounds() {
    var numbers = Numbers(seed: 5)
    func isSupported(_ description: ck_convolution, _ change: (inout ck_convolution) -> Void)
      -> Bool
    {
      var d = description
      change(&d)
      return ck_convolution_create(&d).map(ck_convolution_destroy) != nil
    }
    let repeated = randomRepeated(&numbers)
    #expect(isSupported(repeated) { _ in })
    #expect(!isSupported(repeated) { $0.pad_top = 2 })
    #expect(!isSupported(repeated) { $0.pad_left = 0 })
    #expect(!isSupported(repeated) { $0.winograd_tile = 2 })
    #expect(!isSupported(repeated) { $0.upsample = 3 })
    let strided = randomStrided(&numbers)
    #expect(isSupported(strided) { _ in })
    #expect(!isSupported(strided) { $0.winograd_tile = 4 })
    #expect(!isSupported(strided) { $0.stride_width = 1 })
    #expect(!isSupported(strided) { ($0.stride_height, $0.stride_width) = (3, 3) })
    #expect(!isSupported(strided) { $0.deconvolution = 1 })
  }

  @Test("Blocked Winograd convolution matches plain loops", arguments: 0..<40)
  func wideWinogradEqualsLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    let d = randomWideWinograd(&numbers)
    // The transforms are computed in float32 for every element type of the input. So the allowed error does not depend
    // on this type.
    try expectLoops(d, &numbers, within: d.destination_type == CK_BF16 ? 0.008 : 2e-4, 2e-4)
  }

  /// Checks the convolution twice: with the plain input, and with a norm applied to the input.
  ///
  /// - Parameters:
  ///   - rounded: the largest allowed error if the kernel multiplies in bfloat16.
  ///   - exact: the largest allowed error if the kernel multiplies in float32 and stores its results as float32. If it
  ///     stores them as bfloat16, the largest allowed error is 0.008 instead.
  func expectLoops(
    _ description: ck_convolution, _ numbers: inout Numbers, within rounded: Double,
    _ exact: Double = 1e-4, norms: Bool = true
  ) throws {
    var d = description
    d.has_statistics = 1
    let exact: Double = d.destination_type == CK_BF16 ? 0.008 : exact
    try expectResultsOfLoops(d, &numbers, within: (rounded, exact))
    guard norms else { return }
    d.has_norm = 1
    d.norm_relu = Int32(numbers.integer(below: 2))
    d.norm_epsilon = 1e-3
    // The norm makes some values larger than `rounded` assumes, and brings some values close to a rounding boundary. So
    // the bound for bfloat16 is larger here.
    try expectResultsOfLoops(d, &numbers, within: (max(2 * rounded, 0.01), exact))
  }

  /// Checks the results of every instruction set, and the statistics if the convolution has them. Calls `check` with the
  /// name of each kernel.
  private func expectResultsOfLoops(
    _ description: ck_convolution, _ numbers: inout Numbers,
    within bounds: (rounded: Double, exact: Double), check: (String) -> Void = { _ in }
  ) throws {
    var d = description
    let (ic, oc) = (Int(d.input_channels), Int(d.output_channels))
    let area = Int(d.kernel_height * d.kernel_width)
    let inputs = Int(d.batch * d.input_height * d.input_width) * ic
    let outputs = Int(d.batch * d.output_height * d.output_width) * oc
    let source = Values(d.source_type, numbers.array(inputs))
    let residual = Values(d.destination_type, numbers.array(outputs))
    // bfloat16 represents these weights exactly. So the same tolerance holds for both element types.
    let weights = Values(CK_BF16, numbers.array(ic * oc * area)).array
    let bias = numbers.array(oc)
    let scale = numbers.array(oc)
    let offset = numbers.array(oc)
    let norm = InputNorm(d, &numbers, source)

    func loops(rounding: Bool) -> [Double] {
      var expected: [Double] = []
      for n in 0..<Int(d.batch) {
        for y in 0..<d.output_height {
          for x in 0..<d.output_width {
            var sums = [Double](repeating: 0, count: oc)
            for ky in 0..<d.kernel_height {
              for kx in 0..<d.kernel_width {
                guard
                  let iy = inputCoordinate(
                    y, ky, stride: d.stride_height, dilation: d.dilation_height, pad: d.pad_top,
                    size: d.input_height, d),
                  let ix = inputCoordinate(
                    x, kx, stride: d.stride_width, dilation: d.dilation_width, pad: d.pad_left,
                    size: d.input_width, d)
                else { continue }
                let pixel = ((n * Int(d.input_height) + iy) * Int(d.input_width) + ix) * ic
                let tap = Int(ky * d.kernel_width + kx)
                for i in 0..<ic {
                  let value = norm.read(
                    source[pixel + i], channel: i, picture: n, rounding: rounding)
                  for c in 0..<oc {
                    let pair = d.deconvolution == 1 ? i * oc + c : c * ic + i
                    sums[c] += value * Double(weights[pair * area + tap])
                  }
                }
              }
            }
            for c in 0..<oc {
              var value = sums[c] + (d.has_bias == 1 ? Double(bias[c]) : 0)
              if d.has_residual == 1 { value += Double(residual[expected.count]) }
              if d.activation == CK_RELU { value = max(value, 0) }
              if d.activation == CK_TANH { value = tanh(value) }
              if d.activation == CK_CLIP { value = min(max(value, -0.5), 1.5) }
              if d.activation == CK_HARD_SWISH { value *= min(max(-0.5 * value + 1.5, 0), 1) }
              if d.has_scale == 1 { value = value * Double(scale[c]) + Double(offset[c]) }
              expected.append(value)
            }
          }
        }
      }
      return expected
    }
    let exact: [Double] = loops(rounding: false)
    // Matrix tiles multiply in bfloat16 for every instruction set. Vector units multiply in bfloat16 only if they have
    // a bfloat16 dot product.
    let rounded: [Double] =
      d.has_norm == 1 && d.source_type == CK_BF16 && d.winograd_tile == 0
      ? loops(rounding: true) : exact
    try expectResults("\(d)") { level in
      d.source_type == CK_BF16 && (d.matrix_tiles > 0 || level == 3)
        ? (rounded, bounds.rounded) : (exact, bounds.exact)
    } of: { threads in
      // Instruction sets without matrix tiles use emulated tiles.
      d.matrix_tiles =
        description.matrix_tiles == 1 && ck_has_matrix_tiles() == 0 ? 2 : description.matrix_tiles
      let plan = try #require(ck_convolution_create(&d))
      defer { ck_convolution_destroy(plan) }
      let packed = Values(CK_F32, count: ck_convolution_weights_bytes(plan) / 4)
      let scratch = Values(CK_F32, count: ck_convolution_scratch_bytes(plan, threads) / 4)
      let result = Values(d.destination_type, count: outputs)
      let pixels: Int64 = d.output_height * d.output_width
      let blocks = Int(d.batch * ck_statistics_blocks(pixels, d.output_channels))
      let statistics = Values(CK_F32, count: blocks * 2 * oc)
      ck_convolution_pack(plan, weights, packed.pointer)
      let status = bias.withUnsafeBufferPointer { b in
        scale.withUnsafeBufferPointer { s in
          offset.withUnsafeBufferPointer { o in
            var arguments = ck_convolution_arguments(
              source: source.pointer, weights: packed.pointer, bias: b.baseAddress,
              scale: s.baseAddress, offset: o.baseAddress, residual: residual.pointer,
              destination: result.pointer,
              statistics: statistics.floats,
              norm_gamma: norm.gamma.floats, norm_beta: norm.beta.floats,
              norm_statistics: norm.statistics.floats,
              scratch: scratch.pointer, threads: threads)
            return ck_convolution_run(plan, &arguments)
          }
        }
      }
      #expect(status == 0)
      check(String(cString: ck_convolution_name(plan)))
      guard d.has_statistics == 1 else { return result.array }
      let later = Values(CK_F32, count: statistics.count)
      ck_statistics_run(
        d.destination_type, result.pointer, d.batch, pixels, d.output_channels, later.floats)
      #expect(
        statistics.array.map(\.bitPattern) == later.array.map(\.bitPattern),
        "statistics, \(String(cString: ck_convolution_name(plan))), \(threads) threads, \(d)")
      return result.array
    }
  }

  /// An instance norm of a convolution's input. It has the norm's parameters, and the statistics of each block of input
  /// pixels.
  private struct InputNorm {
    let gamma, beta, statistics: Values
    /// The mean and the standard deviation for each image and channel.
    private var moments: [(mean: Double, deviation: Double)] = []
    private let d: ck_convolution

    init(_ d: ck_convolution, _ numbers: inout Numbers, _ source: Values) {
      self.d = d
      let (channels, pixels) = (Int(d.input_channels), Int(d.input_height * d.input_width))
      gamma = Values(CK_F32, numbers.array(channels))
      beta = Values(CK_F32, numbers.array(channels))
      let blocks = Int(d.batch * ck_statistics_blocks(Int64(pixels), d.input_channels))
      statistics = Values(CK_F32, count: blocks * 2 * channels)
      ck_statistics_run(
        d.source_type, source.pointer, d.batch, Int64(pixels), d.input_channels, statistics.floats)
      for picture in 0..<Int(d.batch) {
        for channel in 0..<channels {
          let values: [Double] = (0..<pixels).map {
            Double(source[(picture * pixels + $0) * channels + channel])
          }
          let mean: Double = values.reduce(0, +) / Double(pixels)
          let deviations: Double = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
          moments.append(
            (mean, (deviations / Double(pixels) + Double(d.norm_epsilon)).squareRoot()))
        }
      }
    }

    /// Returns a value as the convolution reads it, after the norm. If `rounding` is true, rounds the value to
    /// bfloat16, as all bfloat16 kernels except Winograd kernels do.
    func read(_ value: Float, channel: Int, picture: Int, rounding: Bool) -> Double {
      guard d.has_norm == 1 else { return Double(value) }
      let (mean, deviation) = moments[picture * Int(d.input_channels) + channel]
      let unit: Double = (Double(value) - mean) / deviation
      let result: Double = unit * Double(gamma[channel]) + Double(beta[channel])
      let finished: Double = d.norm_relu == 1 ? max(result, 0) : result
      return rounding ? Double(TileDefinition.rounded(Float(finished))) : finished
    }
  }

  @Test("Statistics match those of densely stored results")
  func statisticsNeedDenseResults() {
    var numbers = Numbers(seed: 3)
    var d = randomConvolution(&numbers)
    d.has_statistics = 1
    #expect(ck_convolution_create(&d).map(ck_convolution_destroy) != nil)
    d.destination_row_stride = (d.output_width + 1) * d.output_channels
    #expect(ck_convolution_create(&d) == nil)
  }

  @Test("The gradient of the weights matches plain loops", arguments: 0..<30)
  func weightsGradientEqualsLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    let c = randomWinograd(&numbers)
    var d = ck_winograd_weights_gradient(
      batch: c.batch, input_channels: c.input_channels, input_height: c.input_height,
      input_width: c.input_width, output_channels: c.output_channels,
      output_height: c.output_height, output_width: c.output_width, pad_top: c.pad_top,
      pad_left: c.pad_left, type: c.source_type, winograd_tile: c.winograd_tile, threads: 1)
    let (ic, oc) = (Int(d.input_channels), Int(d.output_channels))
    let pixels = Int(d.batch * d.output_height * d.output_width)
    let large = Values(
      d.type, numbers.array(Int(d.batch * d.input_height * d.input_width) * ic))
    let small = Values(d.type, numbers.array(pixels * oc))

    var expected = [Double](repeating: 0, count: oc * ic * 9)
    for n in 0..<d.batch {
      for y in 0..<d.output_height {
        for x in 0..<d.output_width {
          let pixel = Int((n * d.output_height + y) * d.output_width + x) * oc
          for (tap, (ky, kx)) in (0..<9).map({ ($0, (Int64($0 / 3), Int64($0 % 3))) }) {
            let (iy, ix) = (y + ky - d.pad_top, x + kx - d.pad_left)
            guard iy >= 0, iy < d.input_height, ix >= 0, ix < d.input_width else { continue }
            let seen = Int((n * d.input_height + iy) * d.input_width + ix) * ic
            for o in 0..<oc {
              let value = Double(small[pixel + o])
              for i in 0..<ic {
                expected[(o * ic + i) * 9 + tap] += value * Double(large[seen + i])
              }
            }
          }
        }
      }
    }

    let rounded: Double = (d.winograd_tile == 2 ? 0.02 : 0.06) * Double(pixels).squareRoot()
    expectResults(expected, within: d.type == CK_BF16 ? rounded : 2e-4, "\(d)") { threads in
      d.threads = threads
      let scratch = Values(CK_F32, count: ck_winograd_weights_gradient_scratch_bytes(&d) / 4)
      var result = [Float](repeating: .nan, count: expected.count)
      #expect(
        ck_winograd_weights_gradient_run(&d, large.pointer, small.pointer, &result, scratch.pointer)
          == 0)
      return result
    }
    d.output_channels = 8
    #expect(
      ck_winograd_weights_gradient_scratch_bytes(&d) == 0, "channels that do not fill vectors")
  }

  @Test("An invalid description of a convolution creates no plan")
  func refusesNonsense() {
    var d = ck_convolution()
    #expect(ck_convolution_create(&d) == nil)
    var numbers = Numbers(seed: 1)
    d = randomWinograd(&numbers)
    #expect(ck_convolution_create(&d).map(ck_convolution_destroy) != nil)
    d.input_channels = 8
    #expect(ck_convolution_create(&d) == nil, "channels that do not fill vectors")
  }

  @Test("A transposed convolution that would need tables for a million phases creates no plan")
  func refusesManyPhases() {
    var d = ck_convolution()
    (d.batch, d.input_channels, d.output_channels, d.upsample) = (1, 4, 5, 1)
    (d.input_height, d.input_width) = (9, 11)
    (d.kernel_height, d.kernel_width, d.dilation_height, d.dilation_width) = (3, 3, 1, 1)
    (d.source_type, d.destination_type, d.deconvolution) = (CK_F32, CK_F32, 1)
    (d.stride_height, d.stride_width, d.output_height, d.output_width) = (32, 32, 259, 323)
    #expect(ck_convolution_create(&d).map(ck_convolution_destroy) != nil)
    (d.stride_height, d.stride_width, d.output_height, d.output_width) = (1000, 1000, 8003, 10003)
    #expect(ck_convolution_create(&d) == nil)
  }
}
