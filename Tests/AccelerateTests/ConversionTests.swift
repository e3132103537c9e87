import Accelerate
import Testing

@Suite struct NumberConversionTests {
  static let values: [Double] = [
    0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.7, 2.7, 127, 127.6, -128.9, 255.4, 300, -300, 32_767.5,
    65_535.9,
    -40_000, 2_147_483_647, -2_147_483_648, 4_294_967_295, 1e12, -1e12, .infinity, -.infinity, .nan,
  ]

  /// Rounds a number and limits it to the type's range. NaN becomes 0.
  private func integer<I: FixedWidthInteger>(
    _ value: Double, _ rule: FloatingPointRoundingRule, _ type: I.Type
  ) -> I {
    if value.isNaN { return 0 }
    return I(exactly: value.rounded(rule)) ?? (value < 0 ? .min : .max)
  }

  private func check<I: FixedWidthInteger>(
    _ type: I.Type, _ suffix: String,
    _ truncate: @escaping (UnsafePointer<Float>, Int, UnsafeMutablePointer<I>, Int, UInt) -> Void,
    _ truncateDouble:
      @escaping (UnsafePointer<Double>, Int, UnsafeMutablePointer<I>, Int, UInt) -> Void,
    _ round: @escaping (UnsafePointer<Float>, Int, UnsafeMutablePointer<I>, Int, UInt) -> Void,
    _ roundDouble:
      @escaping (UnsafePointer<Double>, Int, UnsafeMutablePointer<I>, Int, UInt) -> Void,
    _ widen: @escaping (UnsafePointer<I>, Int, UnsafeMutablePointer<Float>, Int, UInt) -> Void,
    _ widenDouble:
      @escaping (UnsafePointer<I>, Int, UnsafeMutablePointer<Double>, Int, UInt) -> Void
  ) {
    // Repeats the values, so that both the vectorised loop and the loop for the rest convert every value.
    let values = Self.values + Self.values
    let single = values.map(Float.init)
    let count = UInt(values.count)
    for (rule, code, exact) in [
      (FloatingPointRoundingRule.towardZero, truncate, truncateDouble),
      (.toNearestOrEven, round, roundDouble),
    ] {
      var result = [I](repeating: 3, count: values.count)
      code(single, 1, &result, 1, count)
      #expect(result == single.map { integer(Double($0), rule, I.self) }, "vfix \(suffix), Float")
      exact(values, 1, &result, 1, count)
      #expect(result == values.map { integer($0, rule, I.self) }, "vfix \(suffix), Double")
      var strided = [I](repeating: 3, count: 2 * values.count)
      code(single, 2, &strided, 2, 17)
      for index in strided.indices {
        let expected =
          index % 2 == 0 && index < 34 ? integer(Double(single[index]), rule, I.self) : 3
        #expect(strided[index] == expected, "vfix \(suffix), stride 2")
      }
      var untouched: I = 3
      code(single, 1, &untouched, 1, 0)
      #expect(untouched == 3)
    }
    let integers: [I] = [.min, .min + 1, 0, 1, 2, .max / 3, .max - 1, .max]
    for stride in [1, 3] {
      let source = integers.flatMap { [$0] + [I](repeating: 9, count: stride - 1) }
      var floats = [Float](repeating: -1, count: 8)
      widen(source, stride, &floats, 1, 8)
      #expect(floats == integers.map { Float($0) }, "vflt \(suffix)")
      var doubles = [Double](repeating: -1, count: 8)
      widenDouble(source, stride, &doubles, 1, 8)
      #expect(doubles == integers.map { Double($0) }, "vflt \(suffix), Double")
    }
  }

  @Test("Numbers become integers by rounding and limits, and integers become numbers")
  func convertsIntegers() {
    check(
      CChar.self, "8", vDSP_vfix8, vDSP_vfix8D, vDSP_vfixr8, vDSP_vfixr8D, vDSP_vflt8, vDSP_vflt8D)
    check(
      Int16.self, "16", vDSP_vfix16, vDSP_vfix16D, vDSP_vfixr16, vDSP_vfixr16D, vDSP_vflt16,
      vDSP_vflt16D)
    check(
      Int32.self, "32", vDSP_vfix32, vDSP_vfix32D, vDSP_vfixr32, vDSP_vfixr32D, vDSP_vflt32,
      vDSP_vflt32D)
    check(
      UInt8.self, "u8", vDSP_vfixu8, vDSP_vfixu8D, vDSP_vfixru8, vDSP_vfixru8D, vDSP_vfltu8,
      vDSP_vfltu8D)
    check(
      UInt16.self, "u16", vDSP_vfixu16, vDSP_vfixu16D, vDSP_vfixru16, vDSP_vfixru16D, vDSP_vfltu16,
      vDSP_vfltu16D)
    check(
      UInt32.self, "u32", vDSP_vfixu32, vDSP_vfixu32D, vDSP_vfixru32, vDSP_vfixru32D, vDSP_vfltu32,
      vDSP_vfltu32D)
  }

  @Test("Single and double precision convert into each other", arguments: lengths)
  func convertsPrecisions(length: Int) {
    for (from, to) in [(1, 1), (3, 2)] {
      var numbers = Numbers(seed: length)
      let doubles = Strided<Double>(count: length, stride: from) { _ in numbers.next() / 3 }
      var floats = Strided<Float>(count: length, stride: to) { _ in 0 }
      vDSP_vdpsp(doubles.memory, from, &floats.memory, to, UInt(length))
      #expect(floats.values == doubles.values.map { Double(Float($0)) } && floats.isIntact)
      var back = Strided<Double>(count: length, stride: from) { _ in 0 }
      vDSP_vspdp(floats.memory, to, &back.memory, from, UInt(length))
      #expect(back.values == floats.values && back.isIntact)
    }
  }

  @Test("Integers are added, divided and compared as vDSP defines it")
  func computesIntegers() {
    let (a, b): ([Int32], [Int32]) = ([7, -7, 0, .max, .min], [2, 2, 5, 1, -1])
    var result = [Int32](repeating: 99, count: 10)
    vDSP_vaddi(a, 1, b, 1, &result, 2, 5)
    #expect(result == [9, 99, -5, 99, 5, 99, .min, 99, .max, 99])
    vDSP_vdivi(b, 1, a, 1, &result, 1, 4)
    #expect(result.prefix(4) == [3, -3, 0, .max])
    vDSP_vabsi(a, 1, &result, 1, 5)
    #expect(result.prefix(5) == [7, 7, 0, .max, .min])
    vDSP_veqvi(a, 1, b, 1, &result, 1, 5)
    #expect(result.prefix(5) == zip(a, b).map { ~($0 ^ $1) }[...])
    var two: Int32 = 2
    vDSP_vsaddi(a, 1, &two, &result, 1, 3)
    #expect(result.prefix(3) == [9, -5, 2])
    vDSP_vsdivi(a, 1, &two, &result, 1, 3)
    #expect(result.prefix(3) == [3, -3, 0])
    vDSP_vfilli(&two, &result, 3, 2)
    #expect(result.prefix(5) == [2, -3, 0, 2, .min])
  }
}
