import CKernels

/// Reference implementations of the matrix-tile kernels, as loops without vectors or tiles. See
/// C/CKernels/tiles/Tiles.hpp.
enum TileDefinition {
  /// Flushes subnormal numbers to zero.
  static func flushed(_ x: Float) -> Float {
    x.isSubnormal ? Float(sign: x.sign, exponent: 0, significand: 0) : x
  }

  /// Adds one step of up to 32 multiply-adds to `sum`. Sums the products at even indices and the products at odd
  /// indices separately, then adds both sums to `sum`.
  static func added(_ sum: Float, _ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Float {
    var chains: [Float] = [0, 0]
    for (index, pair) in zip(a, b).enumerated() {
      let chain = chains[index % 2]
      chains[index % 2] = flushed(chain.addingProduct(flushed(pair.0), flushed(pair.1)))
    }
    return flushed(flushed(sum) + flushed(chains[0] + chains[1]))
  }

  /// Adds the dot product of `a` and `b` to `sum`, 32 multiply-adds per step.
  static func added(_ sum: Float, _ a: [Float], _ b: [Float]) -> Float {
    stride(from: 0, to: a.count, by: 32).reduce(sum) { sum, first in
      let end = min(first + 32, a.count)
      return added(sum, a[first..<end], b[first..<end])
    }
  }

  /// Adds the dot product of `a` and `b` to `sum`. Each value is a pair of bfloat16 values, whose sum it nearly is. A step
  /// of 32 multiply-adds adds the products high · high, low · high and high · low.
  static func addedInPairs(_ sum: Float, _ a: [Float], _ b: [Float]) -> Float {
    stride(from: 0, to: a.count, by: 32).reduce(sum) { sum, first in
      let end = min(first + 32, a.count)
      let left = a[first..<end].map(pair), right = b[first..<end].map(pair)
      let sum = added(sum, left.map(\.high)[...], right.map(\.high)[...])
      let more = added(sum, left.map(\.low)[...], right.map(\.high)[...])
      return added(more, left.map(\.high)[...], right.map(\.low)[...])
    }
  }

  /// Returns the rounded value and the rounded rest; 0 and the value itself if it is infinite or not a number.
  private static func pair(_ value: Float) -> (high: Float, low: Float) {
    let high: Float = rounded(value)
    return high.isFinite ? (high, rounded(value - high)) : (0, value)
  }

  /// Rounds to bfloat16.
  static func rounded(_ value: Float) -> Float {
    let bits: UInt32 = value.bitPattern
    return Float(bitPattern: (bits &+ 0x7fff &+ ((bits >> 16) & 1)) & 0xffff_0000)
  }

  /// Returns the taps of one phase along one axis, sorted by offset. A phase is a set of outputs that share their taps.
  /// A tap is an input pixel that each of these outputs reads. It has an offset from the output's base coordinate in
  /// the input, and a list of window positions. The weights at these positions multiply the pixel.
  private static func taps(
    _ kernel: Int64, _ stride: Int64, _ dilation: Int64, _ pad: Int64, _ origin: Int64,
    _ d: ck_convolution
  ) -> [(offset: Int, elements: [Int])] {
    var elements: [Int: [Int]] = [:]
    for k in 0..<Int(kernel) {
      let at = Int(origin - pad) + k * Int(dilation), back = Int(origin + pad) - k * Int(dilation)
      if d.deconvolution == 1 {
        guard back % Int(stride) == 0 else { continue }
        elements[back / Int(stride), default: []].append(k)
      } else {
        let factor = Int(d.upsample)
        elements[at >= 0 ? at / factor : -((-at + factor - 1) / factor), default: []].append(k)
      }
    }
    return elements.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns whether the kernel sums column by column. It does so if the window is wide and there are few output
  /// channels.
  private static func sumsColumns(_ d: ck_convolution) -> Bool {
    func ceil(_ a: Int64, _ b: Int64) -> Int64 { (a + b - 1) / b }
    let (outputs, width) = (d.output_channels, d.kernel_width)
    return d.source_type == CK_BF16 && [1, 2, 3, 4, 6, 8].contains(outputs) && d.deconvolution == 0
      && d.upsample == 1
      && d.stride_width == 1 && d.dilation_width == 1 && width > 1 && outputs * width <= 64
      && ceil(outputs * width, 16) * 5 < ceil(outputs, 16) * width * 4
  }

  /// Computes the sums of a convolution before the bias and the epilogue: `[batch, height, width, channels]`. A source of
  /// float32 is multiplied as pairs of bfloat16.
  static func convolution(_ d: ck_convolution, _ source: [Float], _ weights: [Float]) -> [Float] {
    let (channels, outputs) = (Int(d.input_channels), Int(d.output_channels))
    let (height, width) = (Int(d.input_height), Int(d.input_width))
    let (kernelHeight, kernelWidth) = (Int(d.kernel_height), Int(d.kernel_width))
    let isSplit = d.deconvolution == 1 || d.upsample > 1
    let everyY = d.deconvolution == 1 ? d.stride_height : Int64(d.upsample)
    let everyX = d.deconvolution == 1 ? d.stride_width : Int64(d.upsample)
    let hasPairs = d.source_type == CK_F32

    func pixel(_ n: Int, _ y: Int, _ x: Int) -> [Float] {
      guard x >= 0, x < width else { return [Float](repeating: 0, count: channels) }
      let first = ((n * height + y) * width + x) * channels
      return Array(source[first..<first + channels])
    }
    /// Returns the weights of one tap for one output. All weights that read the same pixel are summed, and then the sum
    /// is rounded.
    func weightsOf(_ output: Int, _ ys: [Int], _ xs: [Int]) -> [Float] {
      (0..<channels).map { input in
        let pair = d.deconvolution == 1 ? input * outputs + output : output * channels + input
        var sum = 0.0
        for y in ys {
          for x in xs { sum += Double(weights[(pair * kernelHeight + y) * kernelWidth + x]) }
        }
        return hasPairs ? Float(sum) : rounded(Float(sum))
      }
    }

    var result: [Float] = []
    for n in 0..<Int(d.batch) {
      for y in 0..<d.output_height {
        for x in 0..<d.output_width {
          let tapsY = taps(
            d.kernel_height, d.stride_height, d.dilation_height, d.pad_top, y % everyY, d)
          let tapsX = taps(
            d.kernel_width, d.stride_width, d.dilation_width, d.pad_left, x % everyX, d)
          let baseY = Int(isSplit ? y / everyY : y * d.stride_height)
          let baseX = Int(isSplit ? x / everyX : x * d.stride_width)
          let isRun = tapsX.last.map { $0.offset - tapsX[0].offset + 1 == tapsX.count } ?? true
          let columns = sumsColumns(d)
          let rows = tapsY.filter { (0..<height).contains(baseY + $0.offset) }
          // If the taps of a row read adjacent pixels, the kernel processes all values of these pixels as one sequence,
          // unless it sums column by column.
          let runs = isRun && !columns && !hasPairs ? [tapsX] : tapsX.map { [$0] }
          for output in 0..<outputs {
            func add(_ sum: Float, _ row: (offset: Int, elements: [Int]), _ run: [(Int, [Int])])
              -> Float
            {
              (hasPairs ? addedInPairs : added)(
                sum, run.flatMap { pixel(n, baseY + row.offset, baseX + $0.0) },
                run.flatMap { weightsOf(output, row.elements, $0.1) })
            }
            if columns {
              result.append(
                runs.reduce(0) { sum, run in sum + rows.reduce(0) { add($0, $1, run) } })
            } else {
              result.append(
                rows.reduce(0) { sum, row in runs.reduce(sum) { add($0, row, $1) } })
            }
          }
        }
      }
    }
    return result
  }

  /// Computes the gradient of a convolution's weights as a sum of `parts` parts. Each part processes some rows of
  /// `small`, 32 pixels per step. `ck_tile_weights_gradient` says what `large` and `small` are.
  static func gradient(
    _ d: ck_tile_weights_gradient, _ large: [Float], _ small: [Float], parts: Int
  ) -> [Float] {
    let (inputs, outputs) = (Int(d.input_channels), Int(d.output_channels))
    let (height, width) = (Int(d.input_height), Int(d.input_width))
    let (rows, columns) = (Int(d.output_height), Int(d.output_width))
    let all: Int = Int(d.batch) * rows
    func sum(_ o: Int, _ i: Int, _ ky: Int, _ kx: Int, _ part: Range<Int>) -> Float {
      part.reduce(Float(0)) { sum, row in
        let y: Int =
          row % rows * Int(d.stride_height) + ky * Int(d.dilation_height) - Int(d.pad_top)
        guard (0..<height).contains(y) else { return sum }
        let line: Int = (row / rows * height + y) * width
        let seen: [Float] = (0..<columns).map { column in
          let x: Int =
            column * Int(d.stride_width) + kx * Int(d.dilation_width) - Int(d.pad_left)
          return (0..<width).contains(x) ? large[(line + x) * inputs + i] : 0
        }
        return added(sum, seen, (0..<columns).map { small[(row * columns + $0) * outputs + o] })
      }
    }
    var result: [Float] = []
    for o in 0..<outputs {
      for i in 0..<inputs {
        for ky in 0..<Int(d.kernel_height) {
          for kx in 0..<Int(d.kernel_width) {
            let sums: [Float] = (0..<parts).map { part in
              sum(o, i, ky, kx, all * part / parts..<all * (part + 1) / parts)
            }
            result.append(sums.dropFirst().reduce(sums[0], +))
          }
        }
      }
    }
    return result
  }
}
