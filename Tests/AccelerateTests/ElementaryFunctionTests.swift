import Accelerate
import Foundation
import Testing

private typealias Function<T> = (UnsafeMutablePointer<T>, UnsafePointer<T>, UnsafePointer<Int32>) ->
  Void
private typealias PairFunction<T> = (
  UnsafeMutablePointer<T>, UnsafePointer<T>, UnsafePointer<T>, UnsafePointer<Int32>
) -> Void

/// A function of vForce in both precisions, its definition, and the interval that it is tested on.
struct Elementary: CustomTestStringConvertible, @unchecked Sendable {
  let name: String
  fileprivate let single: Function<Float>
  fileprivate let double: Function<Double>
  let interval: ClosedRange<Double>
  let definition: (Double) -> Double

  fileprivate init(
    _ name: String, _ single: @escaping Function<Float>, _ double: @escaping Function<Double>,
    _ interval: ClosedRange<Double>, _ definition: @escaping (Double) -> Double
  ) {
    (self.name, self.single, self.double) = (name, single, double)
    (self.interval, self.definition) = (interval, definition)
  }

  var testDescription: String { name }

  static let all: [Elementary] = [
    .init("exp", vvexpf, vvexp, -80...80, exp), .init("exp2", vvexp2f, vvexp2, -100...100, exp2),
    .init("expm1", vvexpm1f, vvexpm1, -5...5, expm1), .init("log", vvlogf, vvlog, 1e-6...1e6, log),
    .init("log2", vvlog2f, vvlog2, 1e-6...1e6, log2),
    .init("log10", vvlog10f, vvlog10, 1e-6...1e6, log10),
    .init("log1p", vvlog1pf, vvlog1p, -0.9...100, log1p),
    .init("logb", vvlogbf, vvlogb, 1e-6...1e6, logb), .init("sin", vvsinf, vvsin, -50...50, sin),
    .init("cos", vvcosf, vvcos, -50...50, cos), .init("tan", vvtanf, vvtan, -1.5...1.5, tan),
    .init("asin", vvasinf, vvasin, -1...1, asin), .init("acos", vvacosf, vvacos, -1...1, acos),
    .init("atan", vvatanf, vvatan, -50...50, atan), .init("sinh", vvsinhf, vvsinh, -9...9, sinh),
    .init("cosh", vvcoshf, vvcosh, -9...9, cosh), .init("tanh", vvtanhf, vvtanh, -9...9, tanh),
    .init("asinh", vvasinhf, vvasinh, -50...50, asinh),
    .init("acosh", vvacoshf, vvacosh, 1...50, acosh),
    .init("atanh", vvatanhf, vvatanh, -0.99...0.99, atanh),
    .init("cbrt", vvcbrtf, vvcbrt, -50...50, cbrt),
    .init("sinpi", vvsinpif, vvsinpi, -5...5) { sineOfHalfTurns($0) },
    .init("cospi", vvcospif, vvcospi, -5...5) {
      sineOfHalfTurns(0.5 - abs($0.remainder(dividingBy: 2)))
    },
    .init("tanpi", vvtanpif, vvtanpi, -0.4...0.4) { tan(.pi * $0) },
    .init("rec", vvrecf, vvrec, 0.1...9) { 1 / $0 },
    .init("sqrt", vvsqrtf, vvsqrt, 0...50) { $0.squareRoot() },
    .init("rsqrt", vvrsqrtf, vvrsqrt, 0.1...50) { 1 / $0.squareRoot() },
    .init("fabs", vvfabsf, vvfabs, -9...9, abs), .init("ceil", vvceilf, vvceil, -9...9, ceil),
    .init("floor", vvfloorf, vvfloor, -9...9, floor), .init("int", vvintf, vvint, -9...9, trunc),
    .init("nint", vvnintf, vvnint, -9...9) { $0.rounded(.toNearestOrEven) },
  ]
}

/// sin πx. The sine is taken of an angle of at most π/2, because π is rounded.
private func sineOfHalfTurns(_ x: Double) -> Double {
  let rest = x.remainder(dividingBy: 2)
  return sin(.pi * (abs(rest) > 0.5 ? copysign(1, rest) - rest : rest))
}

@Suite struct ElementaryFunctionTests {
  @Test("An elementary function is within 5 units in the last place", arguments: Elementary.all)
  func computes(function: Elementary) {
    for length in lengths {
      check(function, function.single, length)
      check(function, function.double, length)
    }
  }

  @Test("Exponentials and logarithms keep their limits and NaN")
  func keepsLimits() {
    let values: [Float] = [-.infinity, -200, 0, 200, .infinity, .nan]
    var count: Int32 = 6
    var result = values
    vvexpf(&result, values, &count)
    #expect(result[..<5] == [0, 0, 1, .infinity, .infinity] && result[5].isNaN)
    vvlogf(&result, [0, 1, .infinity, -1, .nan, 1], &count)
    #expect(result[..<3] == [-.infinity, 0, .infinity])
    #expect(result[3].isNaN && result[4].isNaN && result[5] == 0)
    vvtanhf(&result, values, &count)
    #expect(result[..<5] == [-1, -1, 0, 1, 1] && result[5].isNaN)
  }

  @Test("Functions of two vectors take their arguments in Apple's order", arguments: lengths)
  func combines(length: Int) {
    var numbers = Numbers(seed: length)
    let x = (0..<length).map { _ in abs(numbers.next()) + 0.1 }
    let y = (0..<length).map { _ in numbers.next() }
    func expect(
      _ name: String, _ single: PairFunction<Float>, _ double: PairFunction<Double>,
      _ definition: (_ y: Double, _ x: Double) -> Double
    ) {
      var count = Int32(length)
      var floats = [Float](repeating: 0, count: length)
      let (a, b) = (y.map(Float.init), x.map(Float.init))
      single(&floats, a, b, &count)
      let rounded = zip(a, b).map { definition(Double($0), Double($1)) }
      #expect(areClose(floats.map(Double.init), rounded, Float.self), "\(name)")
      var doubles = [Double](repeating: 0, count: length)
      double(&doubles, y, x, &count)
      #expect(areClose(doubles, zip(y, x).map(definition), Double.self), "\(name)")
    }
    expect("div", vvdivf, vvdiv) { $0 / $1 }
    expect("pow", vvpowf, vvpow) { pow($1, $0) }
    expect("atan2", vvatan2f, vvatan2) { atan2($0, $1) }
    expect("fmod", vvfmodf, vvfmod) { fmod($0, $1) }
    expect("remainder", vvremainderf, vvremainder) { $0.remainder(dividingBy: $1) }
    expect("copysign", vvcopysignf, vvcopysign) { copysign($0, $1) }
    var count = Int32(length)
    var exponent: Float = 2.5
    var (powers, sines, cosines) = (x.map(Float.init), x.map(Float.init), x.map(Float.init))
    vvpowsf(&powers, &exponent, x.map(Float.init), &count)
    #expect(areClose(powers.map(Double.init), x.map { pow(Double(Float($0)), 2.5) }, Float.self))
    vvsincosf(&sines, &cosines, x.map(Float.init), &count)
    #expect(areClose(sines.map(Double.init), x.map(sin), Float.self))
    #expect(areClose(cosines.map(Double.init), x.map(cos), Float.self))
    var next: Float = 0
    var one: Int32 = 1
    vvnextafterf(&next, [1], [2], &one)
    #expect(next == Float(1).nextUp)
  }

  @Test(
    "Powers in single precision are within 1.4 units in the last place",
    arguments: [0, 1, 17, 5_000])
  func computesPowers(length: Int) {
    var numbers = Numbers(seed: length)
    // Numbers from 0 to 1.
    func next() -> Double { (numbers.next() + 4) / 8 }
    var bases: [Float] = []
    var exponents: [Float] = []
    for index in 0..<length {
      switch index % 4 {
      case 0: bases.append(Float(8 * next()))
      case 1: bases.append(Float(1 + 0.2 * (next() - 0.5)))
      // Any magnitude, subnormal numbers included.
      default: bases.append(Float(exp2(277 * next() - 149)))
      }
      // Results of any magnitude that single precision has, and results beyond it.
      let logarithm: Double = log2(Double(bases[index]))
      exponents.append(
        Float(index % 4 < 3 ? (next() - 0.5) * 310 / logarithm : (40 * next() - 20).rounded()))
    }
    var count = Int32(length)
    var powers = [Float](repeating: 99, count: length + 1)
    vvpowf(&powers, exponents, bases, &count)
    for index in 0..<length {
      expectPower(powers[index], bases[index], exponents[index])
    }
    #expect(powers[length] == 99)
    var inPlace = bases + [99]
    inPlace.withUnsafeMutableBufferPointer {
      vvpowf($0.baseAddress!, exponents, $0.baseAddress!, &count)
    }
    #expect(inPlace == powers)
    let exponent: Float = -1.25
    vvpowsf(&powers, [exponent], bases, &count)
    for index in 0..<length { expectPower(powers[index], bases[index], exponent) }
    #expect(powers[length] == 99)
  }

  @Test("Powers of special numbers are those of C's powf")
  func computesSpecialPowers() {
    let numbers: [Float] =
      [
        0, 0.5, 1, 1.5, 2, 2.5, 3, 8_388_607.5, 16_777_215, 16_777_216, 33_554_432, 1e30, 1e-30,
        Float(1).nextUp, Float(1).nextDown, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, .infinity,
      ].flatMap { [$0, -$0] } + [.nan]
    var count = Int32(numbers.count)
    for base in numbers {
      var powers = [Float](repeating: 99, count: numbers.count)
      vvpowf(&powers, numbers, [Float](repeating: base, count: numbers.count), &count)
      for (exponent, found) in zip(numbers, powers) { expectPower(found, base, exponent) }
    }
  }

  /// Compares a power in single precision with C's function for double precision, which gives the same special values
  /// for these arguments.
  private func expectPower(_ found: Float, _ base: Float, _ exponent: Float) {
    let expected: Double = pow(Double(base), Double(exponent))
    let rounded = Float(expected)
    if rounded.isNaN || rounded.isInfinite || rounded == 0 {
      // At the limits, the nearest number is as good as 0 or infinity.
      let limits: [Float] = [
        rounded, expected.isFinite ? rounded.nextDown : rounded,
        expected.isFinite && expected != 0 ? rounded.nextUp : rounded,
      ]
      #expect(
        rounded.isNaN ? found.isNaN : limits.contains(found) && found.sign == rounded.sign,
        "pow(\(base), \(exponent)) = \(found), expected \(expected)")
    } else {
      let unit: Double = max(Double(rounded.ulp), Double(Float.leastNonzeroMagnitude))
      // The first number beyond the greatest is infinity.
      let limit: Double = copysign(exp2(128), Double(found))
      let value: Double = found.isInfinite ? limit : Double(found)
      #expect(
        abs(value - expected) <= 1.4 * unit,
        "pow(\(base), \(exponent)) = \(found), expected \(expected)")
    }
  }

  private func check<T: BinaryFloatingPoint>(
    _ function: Elementary, _ code: Function<T>, _ length: Int
  ) {
    let width = function.interval.upperBound - function.interval.lowerBound
    var numbers = Numbers(seed: length)
    let values = (0..<length).map { _ in
      T(function.interval.lowerBound + width * (numbers.next() + 4) / 8.0001)
    }
    var result = [T](repeating: 99, count: length + 1)
    var count = Int32(length)
    code(&result, values, &count)
    for (value, found) in zip(values, result) {
      let expected = function.definition(Double(value))
      let unit = Double(T(abs(expected)).ulp)
      #expect(
        abs(Double(found) - expected) <= 5 * max(unit, Double(T.ulpOfOne) * 1e-3),
        "\(T.self), \(function.name)(\(value)) = \(found), expected \(expected)")
    }
    #expect(result[length] == 99)
    var inPlace = values + [99]
    inPlace.withUnsafeMutableBufferPointer { code($0.baseAddress!, $0.baseAddress!, &count) }
    #expect(inPlace == result)
  }
}
