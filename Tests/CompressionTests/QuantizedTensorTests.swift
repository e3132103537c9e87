import Testing

@testable import Compression
@testable import ModelFormat

@Suite("Quantised values")
struct QuantizedTensorTests {
  private static func noise(_ count: Int, seed: UInt64 = 1) -> [Float] {
    var state: UInt64 = seed
    return (0..<count).map { _ in
      // A sum of uniform random numbers is approximately normally distributed.
      (0..<6).reduce(Float(0)) { sum, _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return sum + Float(state >> 40) / Float(1 << 24) - 0.5
      }
    }
  }

  @Test(
    "Values packed from the highest bit are read back as NeuralNetworks read them", arguments: 1...8
  )
  func highBits(bits: Int) throws {
    let values: [Float] = Self.noise(101)
    let tensor = QuantizedTensor(values, bits: bits, WeightGrid([101], axis: 0).whole) {
      KMeans($0).table(1 << bits)
    }
    guard case .tables(let tables) = tensor.meaning else { return }
    let unpacked: [UInt8] = ByteValues(tensor.packedFromHighBits()).unpackedBits(bits, count: 101)
    #expect(
      unpacked.map { tables[0][Int($0)] } == values.map { tables[0][tables[0].nearest(to: $0)] })
  }

  @Test("Values packed from the lowest bit have the layout of MIL's weight files")
  func lowBits() {
    #expect(QuantizedTensor.packedFromLowBits([1, 2, 3], bits: 4) == [0x21, 0x03])
    #expect(
      QuantizedTensor.packedFromLowBits([1, 0, 1, 1, 0, 0, 0, 0, 1], bits: 1) == [0x0D, 0x01])
    // The values have three bits each: 5 | 6 << 3 | 7 << 6. The last value spans two bytes.
    #expect(QuantizedTensor.packedFromLowBits([5, 6, 7], bits: 3) == [0xF5, 0x01])
    #expect(QuantizedTensor.packedFromLowBits([-1, 7], bits: 4) == [0x7F])
  }

  /// Returns the smallest error of any lookup table, found by trying every partition of the sorted values.
  private static func leastError(_ values: [Float], _ count: Int) -> Double {
    let sorted: [Double] = values.sorted().map(Double.init)
    func cost(_ range: Range<Int>) -> Double {
      let mean: Double = sorted[range].reduce(0, +) / Double(range.count)
      return sorted[range].reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    func least(_ start: Int, _ parts: Int) -> Double {
      guard parts > 1 else { return cost(start..<sorted.count) }
      return (start + 1...sorted.count - parts + 1).map { cost(start..<$0) + least($0, parts - 1) }
        .min() ?? .infinity
    }
    return least(0, count)
  }

  @Test("The k-means lookup table is optimal", arguments: [2, 3, 4])
  func clusters(count: Int) {
    for seed in 1...20 {
      let values: [Float] = Self.noise(14, seed: UInt64(seed))
      let table: [Float] = KMeans(values).table(count)
      #expect(table == table.sorted())
      let error: Double = values.reduce(0) { sum, value in
        let difference = Double(value - table[table.nearest(to: value)])
        return sum + difference * difference
      }
      #expect(abs(error - Self.leastError(values, count)) < 1e-6)
    }
  }

  @Test("Few distinct numbers keep their values, including duplicates")
  func fewNumbers() {
    #expect(KMeans([3, 1, 2]).table(4) == [1, 2, 3, 3])
    #expect(KMeans([7, 7, 7, 7]).table(2).allSatisfy { $0 == 7 })
    #expect(KMeans([]).table(2) == [0, 0])
    let flat = LinearScale([0.25, 0.25], .init(bits: 4, isSymmetric: false))
    #expect(flat.value(flat.integer(0.25, 0...15)) == 0.25)
  }

  @Test("For many numbers the error is within 1 % of the optimum for a normal distribution")
  func manyNumbers() {
    let values: [Float] = Self.noise(200_000)
    let table: [Float] = KMeans(values).table(16)
    let (mean, error) = values.reduce(into: (0.0, 0.0)) { sums, value in
      let difference = Double(value - table[table.nearest(to: value)])
      sums = (sums.0 + Double(value) * Double(value), sums.1 + difference * difference)
    }
    // J. Max, “Quantizing for minimum distortion” (1960): if normally distributed numbers are quantised to 16 levels,
    // the least mean squared error is 0.009497 times the variance. Here each number is a sum of six uniform numbers.
    // Its distribution has shorter tails, so the error is slightly smaller.
    #expect(error / mean < 0.0096)
    #expect(error / mean > 0.0075)
  }

  @Test("The scale of each channel or group of inputs follows the range of its values")
  func sharing() {
    var values: [Float] = Self.noise(64)
    for index in 32..<64 { values[index] *= 100 }
    let grid = WeightGrid([2, 8, 4], axis: 0, inputAxis: 1)
    for (shares, blocks) in [(grid.ofChannels, [2, 1, 1]), (grid.ofGroups(inputs: 4), [2, 2, 1])] {
      let format = LinearScale.IntegerFormat(bits: 8, isSymmetric: false)
      let tensor = QuantizedTensor(values, linear: format, shares)
      #expect(tensor.blocks == blocks)
      guard case .linear(let scales) = tensor.meaning else { return }
      #expect(scales.count == blocks.reduce(1, *))
      let small: Float = scales.prefix(scales.count / 2).map(\.scale).max() ?? 0
      let large: Float = scales.suffix(scales.count / 2).map(\.scale).min() ?? 0
      #expect(large > 20 * small)
    }
  }

  @Test("A sparse tensor's mask keeps the values with the largest magnitudes")
  func masks() {
    #expect(QuantizedTensor.mask([3, -1, 0.5, -4], sparsity: 0.5) == [true, false, false, true])
  }
}
