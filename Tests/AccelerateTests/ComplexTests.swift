import Accelerate
import Foundation
import Testing

/// A complex number in double precision, with the arithmetic of the definitions.
private struct Complex {
  var x, y: Double

  static func + (a: Complex, b: Complex) -> Complex { Complex(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: Complex, b: Complex) -> Complex { Complex(x: a.x - b.x, y: a.y - b.y) }
  static func * (a: Complex, b: Complex) -> Complex {
    Complex(x: a.x * b.x - a.y * b.y, y: a.x * b.y + a.y * b.x)
  }
  var conjugate: Complex { Complex(x: x, y: -y) }
  var squared: Double { x * x + y * y }
}

private typealias Binary = (
  UnsafePointer<DSPSplitComplex>, Int, UnsafePointer<DSPSplitComplex>, Int,
  UnsafePointer<DSPSplitComplex>, Int, UInt
) -> Void

@Suite struct ComplexTests {
  private func vector(_ count: Int, _ stride: Int, seed: Int) -> SplitVector {
    var numbers = Numbers(seed: seed)
    let values = (0..<2 * count).map { _ in Double(Float(numbers.next())) }
    return SplitVector(Array(values[..<count]), Array(values[count...]), stride: stride)
  }

  private func numbers(_ vector: SplitVector) -> [Complex] {
    zip(vector.real.values, vector.imaginary.values).map { Complex(x: $0, y: $1) }
  }

  private func check(
    _ name: String, _ function: Binary, _ definition: (Complex, Complex) -> Complex
  ) {
    for length in lengths {
      for strides in [(1, 1, 1), (3, 2, 5)] {
        let a = vector(length, strides.0, seed: length)
        let b = vector(length, strides.1, seed: length + 9)
        let c = vector(length, strides.2, seed: 2)
        a.change { a in
          b.change { b in
            c.change { function(a, strides.0, b, strides.1, $0, strides.2, UInt(length)) }
          }
        }
        let expected = zip(numbers(a), numbers(b)).map(definition)
        let sentence: Comment = "\(name), \(length) elements, strides \(strides)"
        #expect(areClose(c.real.values, expected.map(\.x), Float.self), sentence)
        #expect(areClose(c.imaginary.values, expected.map(\.y), Float.self), sentence)
        #expect(c.real.isIntact && c.imaginary.isIntact, sentence)
      }
    }
  }

  @Test("Complex vectors are added, multiplied and divided")
  func computes() {
    check("zvadd", vDSP_zvadd) { $0 + $1 }
    check("zvsub", vDSP_zvsub) { $0 - $1 }
    check("zvmul", { vDSP_zvmul($0, $1, $2, $3, $4, $5, $6, 1) }) { $0 * $1 }
    check("zvmul", { vDSP_zvmul($0, $1, $2, $3, $4, $5, $6, -1) }) { $0.conjugate * $1 }
    check("zvcmul", vDSP_zvcmul) { $0.conjugate * $1 }
    check("zvdiv", vDSP_zvdiv) {
      let product = $1 * $0.conjugate
      return Complex(x: product.x / $0.squared, y: product.y / $0.squared)
    }
    check("zvma", { vDSP_zvma($0, $1, $2, $3, $0, $1, $4, $5, $6) }) { $0 * $1 + $0 }
    check("zvmov", { a, s, _, _, c, t, n in vDSP_zvmov(a, s, c, t, n) }) { a, _ in a }
    check("zvconj", { a, s, _, _, c, t, n in vDSP_zvconj(a, s, c, t, n) }) { a, _ in a.conjugate }
    check("zvneg", { a, s, _, _, c, t, n in vDSP_zvneg(a, s, c, t, n) }) { a, _ in
      Complex(x: -a.x, y: -a.y)
    }
    check("zrvmul", { a, s, b, t, c, u, n in vDSP_zrvmul(a, s, b.pointee.realp, t, c, u, n) }) {
      Complex(x: $0.x * $1.x, y: $0.y * $1.x)
    }
    check("zrvdiv", { a, s, b, t, c, u, n in vDSP_zrvdiv(a, s, b.pointee.realp, t, c, u, n) }) {
      Complex(x: $0.x / $1.x, y: $0.y / $1.x)
    }
  }

  @Test("Magnitudes, squares and angles of complex vectors", arguments: lengths, [1, 3])
  func measures(length: Int, stride: Int) {
    let input = vector(length, stride, seed: 5)
    let values = numbers(input)
    func expect(
      _ name: String,
      _ function: (UnsafePointer<DSPSplitComplex>, UnsafeMutablePointer<Float>) -> Void,
      _ definition: (Complex) -> Double
    ) {
      var result = Strided<Float>(count: length, stride: 2) { _ in 0.5 }
      input.change { function($0, &result.memory) }
      #expect(areClose(result.values, values.map(definition), Float.self), "\(name)")
      #expect(result.isIntact, "\(name)")
    }
    let n = UInt(length)
    expect("zvabs", { vDSP_zvabs($0, stride, $1, 2, n) }) { $0.squared.squareRoot() }
    expect("zvmags", { vDSP_zvmags($0, stride, $1, 2, n) }) { $0.squared }
    expect("zvphas", { vDSP_zvphas($0, stride, $1, 2, n) }) { atan2($0.y, $0.x) }
    expect("zvmgsa", { vDSP_zvmgsa($0, stride, $1, 2, $1, 2, n) }) { $0.squared + 0.5 }
  }

  @Test("Complex dot products sum over both strides", arguments: lengths)
  func sums(length: Int) {
    let (a, b) = (vector(length, 1, seed: 1), vector(length, 3, seed: 2))
    for isConjugate in [false, true] {
      let sum = SplitVector([0], [0])
      a.change { a in
        b.change { b in
          sum.change {
            (isConjugate ? vDSP_zidotpr : vDSP_zdotpr)(a, 1, b, 3, $0, UInt(length))
          }
        }
      }
      let expected = zip(numbers(a), numbers(b)).map { (isConjugate ? $0.conjugate : $0) * $1 }
        .reduce(Complex(x: 0, y: 0), +)
      let found = numbers(sum)[0]
      let size = 1 + Double(length) * 32
      #expect(abs(found.x - expected.x) < 1e-6 * size && abs(found.y - expected.y) < 1e-6 * size)
    }
  }

  @Test("Pairs are split and joined with the stride of numbers", arguments: lengths)
  func splits(length: Int) {
    let pairs = (0..<2 * length).map { DSPComplex(real: Float($0), imag: -Float($0)) }
    for (pairStride, stride) in [(2, 1), (4, 3)] {
      let zeros = [Double](repeating: 0, count: length)
      let split = SplitVector(zeros, zeros, stride: stride)
      split.change { vDSP_ctoz(pairs, pairStride, $0, stride, UInt(length)) }
      let expected = (0..<length).map { Double($0 * pairStride / 2) }
      #expect(split.isClose(expected, expected.map { -$0 }, size: 0))
      var joined = [DSPComplex](repeating: DSPComplex(real: 7, imag: 7), count: 2 * length)
      split.change { vDSP_ztoc($0, stride, &joined, pairStride, UInt(length)) }
      for index in 0..<length {
        let pair = joined[index * pairStride / 2]
        #expect(Double(pair.real) == expected[index] && Double(pair.imag) == -expected[index])
      }
    }
  }

  @Test("Polar and rectangular coordinates convert into each other")
  func convertsCoordinates() {
    let points: [Float] = [3, 4, -1, 0, 0, -2]
    var polar = [Float](repeating: 0, count: 6)
    vDSP_polar(points, 2, &polar, 2, 3)
    let expected: [Double] = [5, atan2(4.0, 3.0), 1.0, Double.pi, 2, -Double.pi / 2]
    #expect(areClose(polar.map(Double.init), expected, Float.self))
    var back = polar
    vDSP_rect(polar, 2, &back, 2, 3)
    #expect(areClose(back.map(Double.init), points.map(Double.init), Float.self))
  }
}
