import Accelerate
import Foundation
import Testing

/// Tests the functions that make, sort, select and filter vectors. Some tests use both precisions.
@Suite struct SeriesTests {
  private func vector<T: BinaryFloatingPoint>(
    _ count: Int, _ stride: Int = 1, _ type: T.Type = Float.self, seed: Int = 3
  ) -> Strided<T> {
    var numbers = Numbers(seed: seed + count)
    return Strided<T>(count: count, stride: stride) { _ in Double(T(numbers.next())) }
  }

  @Test("Vectors are filled, cleared and counted up", arguments: lengths, [1, 3])
  func fills(length: Int, stride: Int) {
    var (start, step): (Float, Float) = (1.5, 0.25)
    var (exactStart, exactStep) = (1.5, 0.25)
    var single = vector(length, stride)
    var double = vector(length, stride, Double.self)
    let ramp = (0..<length).map { 1.5 + 0.25 * Double($0) }
    vDSP_vramp(&start, &step, &single.memory, stride, UInt(length))
    vDSP_vrampD(&exactStart, &exactStep, &double.memory, stride, UInt(length))
    #expect(single.values == ramp && double.values == ramp)
    vDSP_vgen(&start, &step, &single.memory, stride, UInt(length))
    let expected = (0..<length).map { 1.5 - 1.25 * Double($0) / Double(max(length - 1, 1)) }
    #expect(areClose(single.values, expected, Float.self))
    vDSP_vfill(&step, &single.memory, stride, UInt(length))
    vDSP_vfillD(&exactStep, &double.memory, stride, UInt(length))
    #expect(single.values.allSatisfy { $0 == 0.25 } && double.values == single.values)
    vDSP_vclr(&single.memory, stride, UInt(length))
    vDSP_vclrD(&double.memory, stride, UInt(length))
    #expect(single.values.allSatisfy { $0 == 0 } && double.values == single.values)
    #expect(single.isIntact && double.isIntact)
  }

  @Test("Ramps multiply vectors and go on where they ended", arguments: lengths)
  func multipliesByRamps(length: Int) {
    let input = vector(length, 2)
    var (start, step): (Float, Float) = (0.5, 0.125)
    var result = vector(length, 3, seed: 8)
    let before = result.values
    vDSP_vrampmul(input.memory, 2, &start, &step, &result.memory, 3, UInt(length))
    let products = input.values.enumerated().map { (0.5 + 0.125 * Double($0)) * $1 }
    #expect(areClose(result.values, products, Float.self) && result.isIntact)
    #expect(start == 0.5 + 0.125 * Float(length))
    (start, result) = (0.5, vector(length, 3, seed: 8))
    vDSP_vrampmuladd(input.memory, 2, &start, &step, &result.memory, 3, UInt(length))
    #expect(areClose(result.values, zip(before, products).map(+), Float.self))
  }

  @Test("Vectors are exchanged, reversed and sorted", arguments: lengths)
  func orders(length: Int) {
    var (a, b) = (vector(length, 2), vector(length, 3, seed: 9))
    let (x, y) = (a.values, b.values)
    vDSP_vswap(&a.memory, 2, &b.memory, 3, UInt(length))
    #expect(a.values == y && b.values == x && a.isIntact && b.isIntact)
    vDSP_vrvrs(&a.memory, 2, UInt(length))
    #expect(a.values == y.reversed() && a.isIntact)
    var (single, double) = (y.map { Float($0) }, y)
    vDSP_vrvrs(&single, 1, UInt(length))
    vDSP_vrvrsD(&double, 1, UInt(length))
    #expect(single == y.reversed().map { Float($0) } && double == y.reversed())

    var numbers = x.map { Float($0) }
    var exact = x
    vDSP_vsort(&numbers, UInt(length), 1)
    vDSP_vsortD(&exact, UInt(length), -1)
    #expect(numbers.map(Double.init) == x.sorted() && exact == x.sorted(by: >))

    let values = x.map { Float($0.rounded()) }
    var indices = (0..<UInt(length)).map { $0 }
    vDSP_vsorti(values, &indices, nil, UInt(length), -1)
    #expect(
      indices.map { Int($0) }
        == values.indices.sorted {
          (-values[$0], $0) < (-values[$1], $1)
        })
  }

  @Test("Sorted vectors end in NaN, in both orders", arguments: [17, 600, 5_000], [1, -1])
  func sortsNotANumbers(length: Int, order: Int) {
    var numbers = Numbers(seed: length)
    var exact = (0..<length).map { $0 % 50 == 7 ? -0.0 : numbers.next() * pow(10, Double($0 % 30)) }
    exact[3] = .infinity
    exact[4] = -.infinity
    exact[5] = .nan
    exact[6] = -.nan
    var single = exact.map { Float($0) }
    let expected = exact.filter { !$0.isNaN }.sorted(by: order > 0 ? { $0 < $1 } : { $0 > $1 })
    let rounded = single.filter { !$0.isNaN }.sorted(by: order > 0 ? { $0 < $1 } : { $0 > $1 })
    vDSP_vsort(&single, UInt(length), Int32(order))
    vDSP_vsortD(&exact, UInt(length), Int32(order))
    #expect(Array(single.dropLast(2)) == rounded && single.suffix(2).allSatisfy { $0.isNaN })
    #expect(Array(exact.dropLast(2)) == expected && exact.suffix(2).allSatisfy { $0.isNaN })
  }

  @Test("Equal, ordered and few different numbers are sorted at all lengths", arguments: [1, -1])
  func sortsPatterns(order: Int) {
    var numbers = Numbers(seed: 3)
    for length in Array(0...300) + [513, 4_099, 70_001] {
      let patterns: [[Float]] = [
        [Float](repeating: 2, count: length), (0..<length).map { Float($0) },
        (0..<length).map { Float(-$0) }, (0..<length).map { _ in Float(Int(numbers.next() * 2)) },
        (0..<length).map { _ in Float(numbers.next()) },
      ]
      for pattern in patterns {
        var sorted: [Float] = pattern
        vDSP_vsort(&sorted, UInt(length), Int32(order))
        #expect(sorted == (order > 0 ? pattern.sorted() : pattern.sorted(by: >)))
      }
    }
  }

  @Test("A row is split and reversed the same with vectors and without")
  func pictures() {
    let (width, height) = (83, 3)
    var pixels = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }
    let count: Int = width * height
    var planes = [UInt8](repeating: 0, count: 4 * count)
    func buffer(_ memory: UnsafeMutableRawPointer?, _ bytes: Int) -> vImage_Buffer {
      vImage_Buffer(
        data: memory, height: UInt(height), width: UInt(width), rowBytes: width * bytes)
    }
    let source: [UInt8] = pixels
    pixels.withUnsafeMutableBytes { memory in
      var picture = buffer(memory.baseAddress, 4)
      planes.withUnsafeMutableBytes { results in
        func plane(_ index: Int) -> vImage_Buffer {
          buffer(results.baseAddress?.advanced(by: index * count), 1)
        }
        var (a, r, g, b) = (plane(0), plane(1), plane(2), plane(3))
        #expect(vImageConvert_ARGB8888toPlanar8(&picture, &a, &r, &g, &b, 0) == 0)
      }
    }
    for channel in 0..<4 {
      #expect(
        planes[channel * count..<(channel + 1) * count]
          .elementsEqual((0..<count).map { source[4 * $0 + channel] }))
    }
    var plane = [UInt8](planes[count..<2 * count])
    let original: [UInt8] = plane
    var (mirrored, upended) = (plane, plane)
    plane.withUnsafeMutableBytes { memory in
      var from = buffer(memory.baseAddress, 1)
      mirrored.withUnsafeMutableBytes {
        var to = buffer($0.baseAddress, 1)
        #expect(vImageHorizontalReflect_Planar8(&from, &to, 0) == 0)
      }
      upended.withUnsafeMutableBytes {
        var to = buffer($0.baseAddress, 1)
        #expect(vImageVerticalReflect_Planar8(&from, &to, 0) == 0)
      }
    }
    let places: [(row: Int, column: Int)] = (0..<count).map { ($0 / width, $0 % width) }
    #expect(mirrored == places.map { original[$0.row * width + width - 1 - $0.column] })
    #expect(upended == places.map { original[(height - 1 - $0.row) * width + $0.column] })
  }

  @Test("Elements are selected by gates and indices")
  func selects() {
    let a: [Float] = [10, 9, 20, 9, 30, 9, 40]
    var result = [Float](repeating: -1, count: 6)
    vDSP_vcmprs(a, 2, [1, 0, -2, 5], 1, &result, 2, 4)
    #expect(result == [10, -1, 30, -1, 40, -1])
    vDSP_vgathr(a, [7, 1, 3], 1, &result, 1, 3)
    #expect(result.prefix(3) == [40, 10, 20])
    vDSP_vindex(a, [6, 0.9, 2.1], 1, &result, 1, 3)
    #expect(result.prefix(3) == [40, 10, 20])
    vDSP_vlint([0, 10, 30], [0.5, 1.25, 2, 7], 1, &result, 1, 4, 3)
    #expect(result.prefix(4) == [5, 15, 30, 30])
    var (low, high): (UInt, UInt) = (0, 0)
    var (least, most): (Float, Float) = (10, 30)
    vDSP_vclipc(a, 1, &least, &most, &result, 1, 6, &low, &high)
    #expect(result == [10, 10, 20, 10, 30, 10] && low == 3 && high == 0)
  }

  @Test("Polynomials, levels and running sums follow their formulas", arguments: lengths)
  func computesFormulas(length: Int) {
    let input = vector(length, 2)
    let values = input.values
    var result = vector(length, 3)
    vDSP_vpoly([2, 0, -1, 0, 3, 0], 2, input.memory, 2, &result.memory, 3, UInt(length), 2)
    #expect(areClose(result.values, values.map { 2 * $0 * $0 - $0 + 3 }, Float.self))

    let powers = Strided<Float>(count: length, stride: 2) { abs(values[$0]) + 0.01 }
    var reference: Float = 2
    for (flag, factor) in [(UInt32(0), 10.0), (1, 20)] {
      vDSP_vdbcon(powers.memory, 2, &reference, &result.memory, 3, UInt(length), flag)
      let expected = powers.values.map { factor * log10($0 / 2) }
      #expect(areClose(result.values, expected, Float.self, tolerance: 100))
    }

    var scale: Float = 0.5
    var sum = 0.0
    vDSP_vrsum(input.memory, 2, &scale, &result.memory, 3, UInt(length))
    let sums = values.enumerated().map { index, value -> Double in
      if index > 0 { sum += value }
      return sum * 0.5
    }
    #expect(areClose(result.values, sums, Float.self, tolerance: 100))
    vDSP_vtrapz(input.memory, 2, &scale, &result.memory, 3, UInt(length))
    sum = 0
    let areas = values.indices.map { index -> Double in
      if index > 0 { sum += (values[index - 1] + values[index]) / 2 }
      return sum * 0.5
    }
    #expect(areClose(result.values, areas, Float.self, tolerance: 100) && result.isIntact)
  }

  @Test("Filters sum over windows", arguments: [0, 1, 17, 100], [1, 2, 5])
  func filters(length: Int, taps: Int) {
    for (stride, step) in [(1, 1), (2, 3)] {
      let input = vector(length + taps - 1, stride)
      let filter = vector(taps, step, seed: 40)
      let (values, weights) = (input.values, filter.values)
      var result = vector(length, stride, seed: 50)
      func sums(_ weights: [Double]) -> [Double] {
        (0..<length).map { n in (0..<taps).map { values[n + $0] * weights[$0] }.reduce(0, +) }
      }
      let (n, p) = (UInt(length), UInt(taps))
      vDSP_conv(input.memory, stride, filter.memory, step, &result.memory, stride, n, p)
      #expect(areClose(result.values, sums(weights), Float.self, tolerance: 200))
      filter.memory.withUnsafeBufferPointer {
        let last = $0.baseAddress! + (taps - 1) * step
        vDSP_conv(input.memory, stride, last, -step, &result.memory, stride, n, p)
      }
      #expect(areClose(result.values, sums(weights.reversed()), Float.self, tolerance: 200))
      vDSP_vswsum(input.memory, stride, &result.memory, stride, n, p)
      let ones = [Double](repeating: 1, count: taps)
      #expect(areClose(result.values, sums(ones), Float.self, tolerance: 200))
      vDSP_vswmax(input.memory, stride, &result.memory, stride, n, p)
      #expect(result.values == (0..<length).map { values[$0..<$0 + taps].max() ?? 0 })
      #expect(result.isIntact)
    }
  }

  @Test("Decimation and the recursive filter follow their formulas")
  func decimates() {
    let input = vector(40).memory.map(Double.init)
    let filter = [0.5, -1, 2]
    var result = [Double](repeating: 0, count: 9)
    vDSP_desampD(input, 4, filter, &result, 9, 3)
    let expected = (0..<9).map { n in
      (0..<3).map { input[4 * n + $0] * filter[$0] }.reduce(0, +)
    }
    #expect(areClose(result, expected, Double.self))

    let b = [0.5, 0.25, 0.125, -0.5, 0.3]
    var output = [1.0, 2.0] + [Double](repeating: 0, count: 20)
    vDSP_deq22D(input, 1, b, &output, 1, 20)
    var recursive = [1.0, 2.0]
    for n in 2..<22 {
      recursive.append(
        b[0] * input[n] + b[1] * input[n - 1] + b[2] * input[n - 2] - b[3] * recursive[n - 1]
          - b[4] * recursive[n - 2])
    }
    #expect(areClose(output, recursive, Double.self))
  }

  @Test("Windows are periodic cosine sums", arguments: [0, 1, 17, 400])
  func makesWindows(length: Int) {
    let cosines = (0..<length).map { cos(2 * Double.pi * Double($0) / Double(length)) }
    let doubled = cosines.map { 2 * $0 * $0 - 1 }
    var window = [Float](repeating: -1, count: length)
    func expect(_ expected: [Double]) {
      #expect(areClose(window.map(Double.init), expected, Float.self))
    }
    vDSP_hann_window(&window, UInt(length), Int32(vDSP_HANN_DENORM))
    expect(cosines.map { 0.5 - 0.5 * $0 })
    vDSP_hann_window(&window, UInt(length), Int32(vDSP_HANN_NORM))
    expect(cosines.map { (1 - $0) * (2.0 / 3).squareRoot() })
    vDSP_hamm_window(&window, UInt(length), 0)
    expect(cosines.map { 0.54 - 0.46 * $0 })
    vDSP_blkman_window(&window, UInt(length), 0)
    expect(zip(cosines, doubled).map { 0.42 - 0.5 * $0 + 0.08 * $1 })
    vDSP_vclr(&window, 1, UInt(length))
    vDSP_hann_window(&window, UInt(length), Int32(vDSP_HALF_WINDOW))
    expect(cosines.enumerated().map { $0 < (length + 1) / 2 ? 0.5 - 0.5 * $1 : 0 })
  }

  @Test("Matrices are multiplied, transposed and copied", arguments: [1, 2], [3, 17, 40])
  func computesMatrices(stride: Int, size: Int) {
    let (m, n, p) = (size, size + 2, size - 1)
    let (a, b) = (vector(m * p, stride), vector(p * n, stride, seed: 12))
    var product = vector(m * n, stride, seed: 13)
    vDSP_mmul(
      a.memory, stride, b.memory, stride, &product.memory, stride, UInt(m), UInt(n), UInt(p))
    let (x, y) = (a.values, b.values)
    let expected = (0..<m * n).map { index in
      (0..<p).map { x[index / n * p + $0] * y[$0 * n + index % n] }.reduce(0, +)
    }
    #expect(zip(product.values, expected).allSatisfy { abs($0 - $1) < 1e-3 } && product.isIntact)

    var exact = vector(m * n, stride, Double.self)
    vDSP_mmulD(
      a.memory.map(Double.init), stride, b.memory.map(Double.init), stride, &exact.memory, stride,
      UInt(m), UInt(n), UInt(p))
    #expect(areClose(exact.values, expected, Double.self, tolerance: 500))

    var transposed = vector(m * p, stride, seed: 14)
    vDSP_mtrans(a.memory, stride, &transposed.memory, stride, UInt(p), UInt(m))
    #expect(transposed.values == (0..<m * p).map { x[$0 % m * p + $0 / m] } && transposed.isIntact)

    var copy = [Float](repeating: -1, count: 20)
    vDSP_mmov([1, 2, 3, 4, 5, 6, 7, 8], &copy, 2, 3, 3, 5)
    #expect(copy == [1, 2, -1, -1, -1, 4, 5, -1, -1, -1, 7, 8] + [Float](repeating: -1, count: 8))
  }
}
