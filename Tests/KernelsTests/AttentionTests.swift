import CKernels
import Foundation
import Testing

extension KernelTests {
  /// The sizes of attention: sizes that fill vectors and tiles and sizes that do not, grouped heads, and more keys than
  /// one block holds.
  private static let attentions: [ck_attention] = [
    (1, 1, 1, 1, 1, 1, 1), (2, 4, 2, 7, 19, 8, 5), (1, 2, 2, 37, 300, 64, 80),
    (1, 3, 1, 100, 513, 20, 64), (1, 1, 1, 13, 1024, 33, 17), (2, 3, 3, 1, 300, 64, 80),
    (1, 1, 1, 1, 5, 16, 16),
  ].map { (sizes: (Int64, Int64, Int64, Int64, Int64, Int64, Int64)) -> ck_attention in
    var made = ck_attention()
    (made.batch, made.heads, made.key_heads, made.queries, made.keys) = (
      sizes.0, sizes.1, sizes.2, sizes.3, sizes.4
    )
    (made.width, made.value_width) = (sizes.5, sizes.6)
    (made.key_type, made.value_type) = (CK_F32, CK_F32)
    return made
  }

  /// The strides of a dense tensor whose rows come before its heads, or after them.
  private func strides(_ heads: Int64, _ rows: Int64, _ columns: Int64, rowsFirst: Bool)
    -> ck_attention_strides
  {
    ck_attention_strides(
      batch: heads * rows * columns, head: rowsFirst ? columns : rows * columns,
      row: rowsFirst ? heads * columns : columns)
  }

  /// Computes attention with one operation after the other, in `Double`.
  private func attention(
    _ d: ck_attention, _ query: [Float], _ key: [Float], _ value: [Float], _ mask: [Float]
  ) -> [Float] {
    func rounded(_ value: Double, _ isRounded: Int32) -> Double {
      isRounded == 0 ? value : half(value)
    }
    var result = [Float](repeating: 0, count: Int(d.batch * d.heads * d.queries * d.value_width))
    for sample in 0..<d.batch {
      for head in 0..<d.heads {
        func at(_ s: ck_attention_strides, _ head: Int64, _ row: Int64) -> Int {
          Int(sample * s.batch + head * s.head + row * s.row)
        }
        let keyHead: Int64 = head * d.key_heads / d.heads
        for row in 0..<d.queries {
          let from: Int = at(d.query, head, row)
          let scores: [Double] = (0..<d.keys).map { index -> Double in
            let other: Int = at(d.key, keyHead, index)
            var sum: Double = 0
            for k in 0..<Int(d.width) {
              var factor = Double(query[from + k])
              if d.scales_query != 0 { factor = rounded(factor * Double(d.scale), d.rounds) }
              sum += factor * Double(key[other + k])
            }
            sum = rounded(sum, d.rounds)
            if d.scales_query == 0 { sum = rounded(sum * Double(d.scale), d.rounds) }
            guard d.has_mask != 0 else { return sum }
            let number = Double(mask[at(d.mask, head, row) + Int(index)])
            if d.has_mask == 2 { return number == 0 ? Double(d.fill) : sum }
            return rounded(sum + number, d.rounds)
          }
          let largest: Double = scores.max() ?? 0
          let powers: [Double] = scores.map { exp($0 - largest) }
          let sum: Double = powers.reduce(0, +)
          for column in 0..<Int(d.value_width) {
            var made: Double = 0
            for (index, power) in powers.enumerated() {
              made +=
                rounded(power / sum, d.rounds)
                * Double(value[at(d.value, keyHead, Int64(index)) + column])
            }
            result[at(d.destination, head, row) + column] = Float(rounded(made, d.rounds_result))
          }
        }
      }
    }
    return result
  }

  private func half(_ value: Double) -> Double {
    let single = Float(value)
    guard single.isFinite, single != 0 else { return Double(single) }
    let exponent: Int = max(Int(single.exponent), -14)
    let step: Double = Foundation.pow(2, Double(exponent - 10))
    return (Double(single) / step).rounded(.toNearestOrEven) * step
  }

  @Test(
    "Attention matches its definition, with the same bits for each number of threads",
    arguments: [0, 1, 2, 3] as [Int32], [0, 1, 2, 3, 4, 5])
  func attention(instructions: Int32, variant: Int) {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    for var d in Self.attentions {
      var random = Numbers(seed: 7)
      d.query = strides(d.heads, d.queries, d.width, rowsFirst: variant != 1)
      d.key = strides(d.key_heads, d.keys, d.width, rowsFirst: variant == 2)
      d.value = strides(d.key_heads, d.keys, d.value_width, rowsFirst: variant != 1)
      d.destination = strides(d.heads, d.queries, d.value_width, rowsFirst: variant != 3)
      d.mask = ck_attention_strides(
        batch: 0, head: variant == 2 ? d.queries * d.keys : 0, row: d.keys)
      d.has_mask = variant == 5 ? 2 : variant > 0 ? 1 : 0
      d.fill = -.infinity
      d.scale = 1 / Float(d.width).squareRoot()
      d.scales_query = variant % 2 == 0 ? 1 : 0
      (d.rounds, d.rounds_result) = (variant >= 3 ? 1 : 0, variant >= 3 ? 1 : 0)
      let query = random.array(Int(d.batch * d.heads * d.queries * d.width)).map { $0 * 2 }
      let key = random.array(Int(d.batch * d.key_heads * d.keys * d.width)).map { $0 * 2 }
      let value = random.array(Int(d.batch * d.key_heads * d.keys * d.value_width))
      var mask = random.array(Int(d.heads * d.queries * d.keys))
      if d.keys > 3 { mask[1] = d.has_mask == 2 ? 0 : -.infinity }
      let expected: [Float] = attention(d, query, key, value, mask)
      var results: [[Float]] = []
      for threads in [1, 3] as [Int32] {
        var made = [Float](repeating: .nan, count: expected.count)
        let scratch = UnsafeMutableRawPointer.allocate(
          byteCount: ck_attention_scratch_bytes(&d, threads), alignment: 64)
        defer { scratch.deallocate() }
        #expect(ck_attention_run(&d, query, key, value, mask, &made, scratch, threads) == 0)
        results.append(made)
      }
      #expect(results[0].map(\.bitPattern) == results[1].map(\.bitPattern))
      let error: Float = zip(results[0], expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
      // A score or weight next to the middle of two float16 values may be rounded to either.
      #expect(error <= (d.rounds != 0 ? 4e-3 : 1e-5) && !results[0].contains { $0.isNaN })
    }
  }

  @Test(
    "Attention to keys and values in float16 has the bits of the same numbers in float32",
    arguments: [0, 1, 2, 3] as [Int32])
  func attentionToHalves(instructions: Int32) {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    for var d in Self.attentions {
      var random = Numbers(seed: 9)
      d.query = strides(d.heads, d.queries, d.width, rowsFirst: false)
      d.key = strides(d.key_heads, d.keys, d.width, rowsFirst: true)
      d.value = strides(d.key_heads, d.keys, d.value_width, rowsFirst: false)
      d.destination = strides(d.heads, d.queries, d.value_width, rowsFirst: false)
      d.scale = 0.3
      let query = random.array(Int(d.batch * d.heads * d.queries * d.width))
      func halves(_ count: Int64) -> [Float16] { random.array(Int(count)).map { Float16($0) } }
      let key = halves(d.batch * d.key_heads * d.keys * d.width)
      let value = halves(d.batch * d.key_heads * d.keys * d.value_width)
      let (wideKey, wideValue) = (key.map { Float($0) }, value.map { Float($0) })
      let results: [[UInt32]] = [(false, false), (true, false), (false, true), (true, true)].map {
        (isHalfKey: Bool, isHalfValue: Bool) -> [UInt32] in
        d.key_type = isHalfKey ? CK_F16 : CK_F32
        d.value_type = isHalfValue ? CK_F16 : CK_F32
        var made = [Float](
          repeating: .nan, count: Int(d.batch * d.heads * d.queries * d.value_width))
        let scratch = UnsafeMutableRawPointer.allocate(
          byteCount: ck_attention_scratch_bytes(&d, 1), alignment: 64)
        defer { scratch.deallocate() }
        let status: Int32 = key.withUnsafeBytes { halfKey in
          value.withUnsafeBytes { halfValue in
            wideKey.withUnsafeBytes { floatKey in
              wideValue.withUnsafeBytes { floatValue in
                ck_attention_run(
                  &d, query, (isHalfKey ? halfKey : floatKey).baseAddress,
                  (isHalfValue ? halfValue : floatValue).baseAddress, nil, &made, scratch, 1)
              }
            }
          }
        }
        #expect(status == 0)
        return made.map(\.bitPattern)
      }
      #expect(results.allSatisfy { $0 == results[0] })
      #expect(!results[0].contains(Float.nan.bitPattern))
    }
  }

  @Test("Attention to a key that is not a number gives no number, in its row only")
  func attentionToNaN() {
    var d = Self.attentions[2]
    d.query = strides(d.heads, d.queries, d.width, rowsFirst: false)
    d.key = strides(d.key_heads, d.keys, d.width, rowsFirst: false)
    d.value = strides(d.key_heads, d.keys, d.value_width, rowsFirst: false)
    d.destination = strides(d.heads, d.queries, d.value_width, rowsFirst: false)
    d.scale = 1
    var query = [Float](repeating: 0.1, count: Int(d.heads * d.queries * d.width))
    query[Int(d.width) * 2] = .nan
    let key = [Float](repeating: 0.1, count: Int(d.heads * d.keys * d.width))
    let value = [Float](repeating: 0.5, count: Int(d.heads * d.keys * d.value_width))
    var made = [Float](repeating: 0, count: Int(d.heads * d.queries * d.value_width))
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: ck_attention_scratch_bytes(&d, 1), alignment: 64)
    defer { scratch.deallocate() }
    #expect(ck_attention_run(&d, query, key, value, nil, &made, scratch, 1) == 0)
    for (index, number) in made.enumerated() {
      #expect(number.isNaN == (index / Int(d.value_width) == 2))
    }
  }

  @Test("Sizes that make no sense are refused")
  func senselessAttention() {
    var d = Self.attentions[1]
    d.key_heads = 3
    #expect(ck_attention_scratch_bytes(&d, 1) == 0)
    d.key_heads = 2
    d.keys = 1 << 62
    #expect(ck_attention_scratch_bytes(&d, 1) == 0)
  }
}
