import Accelerate
import Foundation
import Testing

/// The functions with Swift's types. The C functions below them have tests of their own.
@Suite struct OverlayTests {
  let a: [Float] = [1, -2, 3.5, -4.25]
  let b: [Float] = [2, 4, -0.5, 8]

  @Test("Sums, differences, products and quotients keep the order of their arguments")
  func computes() {
    #expect(vDSP.add(1, a) == [2, -1, 4.5, -3.25])
    #expect(vDSP.add(a, b) == [3, 2, 3, 3.75])
    #expect(vDSP.subtract(a, b) == [-1, -6, 4, -12.25])
    #expect(vDSP.multiply(2, a) == [2, -4, 7, -8.5])
    #expect(vDSP.multiply(a, b) == [2, -8, -1.75, -34])
    #expect(vDSP.divide(a, 2) == [0.5, -1, 1.75, -2.125])
    #expect(vDSP.divide(1, b) == [0.5, 0.25, -2, 0.125])
    #expect(vDSP.divide(a, b) == [0.5, -0.5, -7, -0.53125])
    #expect(vDSP.add([1.5, 2], [0.25, -1] as [Double]) == [1.75, 1])
    var result = a
    vDSP.subtract(result, b, result: &result)
    #expect(result == [-1, -6, 4, -12.25])
    vDSP.multiply(a[1...2], b[..<2], result: &result[2...])
    #expect(result == [-1, -6, -4, 14])
    #expect(vDSP.add([Float](), []) == [])
  }

  @Test("Products with sums take tuples")
  func computesCompounds() {
    let c: [Float] = [1, 1, 2, 2]
    #expect(vDSP.add(multiplication: (a, b), c) == [3, -7, 0.25, -32])
    #expect(vDSP.add(multiplication: (a, 2), c) == [3, -3, 9, -6.5])
    #expect(vDSP.add(multiplication: (a, 2), 1) == [3, -3, 8, -7.5])
    #expect(vDSP.add(multiplication: (a, b), Float(1)) == [3, -7, -0.75, -33])
    #expect(vDSP.subtract(multiplication: (a, b), c) == [1, -9, -3.75, -36])
    #expect(vDSP.multiply(addition: (a, b), c) == [3, 2, 6, 7.5])
    #expect(vDSP.multiply(addition: (a, b), Float(2)) == [6, 4, 6, 7.5])
    #expect(vDSP.multiply(subtraction: (a, b), c) == [-1, -6, 8, -24.5])
    #expect(vDSP.multiply(subtraction: (a, b), Float(-1)) == [1, 6, -4, 12.25])
    let ones = [Float](repeating: 1, count: 4)
    #expect(
      vDSP.multiply(addition: (a, ones), subtraction: (vDSP.divide(1, b), ones))
        == [-1, 0.75, -13.5, 2.84375])
  }

  @Test("Reductions return numbers and indices")
  func reduces() {
    #expect(vDSP.sum(a) == -1.75 && vDSP.mean(a) == -0.4375)
    #expect(vDSP.sumOfSquares(a) == 35.3125 && vDSP.meanSquare(a) == 8.828125)
    #expect(vDSP.sumOfMagnitudes(a) == 10.75 && vDSP.meanMagnitude(a) == 2.6875)
    #expect(abs(vDSP.rootMeanSquare(a) - 8.828125.squareRoot().float) < 1e-6)
    #expect(vDSP.maximum(a) == 3.5 && vDSP.minimum(a) == -4.25 && vDSP.maximumMagnitude(a) == 4.25)
    #expect(vDSP.indexOfMaximum(a) == (2, 3.5) && vDSP.indexOfMinimum(a) == (3, -4.25))
    #expect(vDSP.indexOfMaximumMagnitude(a) == (3, 4.25))
    #expect(vDSP.dot(a, b) == -41.75 && vDSP.distanceSquared(a, b) == 203.0625)
    #expect(vDSP.maximum(a, b) == [2, 4, 3.5, 8] && vDSP.minimum(a, b) == [1, -2, -0.5, -4.25])
    #expect(vDSP.maximum([Double]()) == -.infinity && vDSP.mean([Float]()).isNaN)
    #expect(vDSP.sum([Float]()) == 0)
    let normalized = vDSP.normalize([1, 2, 3, 4] as [Double])
    #expect(abs(vDSP.mean(normalized)) < 1e-15 && abs(vDSP.rootMeanSquare(normalized) - 1) < 1e-15)
  }

  @Test("Elements are negated, squared, clipped and compared")
  func mapsElements() {
    #expect(vDSP.absolute(a) == [1, 2, 3.5, 4.25] && vDSP.negative(a) == [-1, 2, -3.5, 4.25])
    #expect(vDSP.square(a) == [1, 4, 12.25, 18.0625])
    #expect(vDSP.signedSquare(a) == [1, -4, 12.25, -18.0625])
    #expect(vDSP.trunc(a) == [0, 0, 0.5, -0.25])
    #expect(vDSP.hypot([3, 5], [4, 12] as [Float]) == [5, 13])
    #expect(vDSP.clip(a, to: -2...2) == [1, -2, 2, -2])
    #expect(vDSP.invertedClip(a, to: -3...3) == [3, -3, 3.5, -4.25])
    #expect(vDSP.threshold(a, to: 0, with: .clampToThreshold) == [1, 0, 3.5, 0])
    #expect(vDSP.threshold(a, to: 0, with: .zeroFill) == [1, 0, 3.5, 0])
    #expect(vDSP.threshold(a, to: 2, with: .signedConstant(5)) == [-5, -5, 5, -5])
    #expect(vDSP.limit(a, limit: 1, withOutputConstant: 3) == [3, -3, 3, -3])
  }

  @Test("Vectors are made, sorted, filtered and selected")
  func makesVectors() {
    #expect(vDSP.ramp(withInitialValue: Float(1), increment: 0.5, count: 3) == [1, 1.5, 2])
    #expect(vDSP.ramp(in: 0...Double(1), count: 5) == [0, 0.25, 0.5, 0.75, 1])
    var vector = a
    vDSP.sort(&vector, sortOrder: .descending)
    #expect(vector == [3.5, 1, -2, -4.25])
    vDSP.reverse(&vector)
    #expect(vector == [-4.25, -2, 1, 3.5])
    vDSP.fill(&vector, with: 2)
    #expect(vector == [2, 2, 2, 2])
    vDSP.clear(&vector)
    #expect(vector == [0, 0, 0, 0])
    let hann = vDSP.window(
      ofType: Double.self, usingSequence: .hanningDenormalized, count: 4, isHalfWindow: false)
    #expect(areClose(hann, [0, 0.5, 1, 0.5], Double.self))
    #expect(vDSP.correlate(a, withKernel: [1, 2]) == [-3, 5, -5])
    #expect(vDSP.convolve(a, withKernel: [1, 2]) == [0, -0.5, 2.75])
    #expect(vDSP.correlate([1] as [Float], withKernel: [1, 2]) == [])
    #expect(vDSP.slidingWindowSum(a, usingWindowLength: 3) == [2.5, -2.75])
    #expect(vDSP.downsample(a, decimationFactor: 2, filter: [1, 1]) == [-1, -0.75])
    #expect(vDSP.gather(a, indices: [4, 1]) == [-4.25, 1])
    #expect(vDSP.compress(a, gatingVector: [1, 0, 0, 2], nonZeroGatingCount: nil) == [1, -4.25])
    #expect(vDSP.linearInterpolate(a, b, using: 0.5) == [1.5, 1, 1.5, 1.875])
    #expect(vDSP.linearInterpolate(elementsOf: a, using: [0.5, 3]) == [-0.5, -4.25])
    #expect(vDSP.integrate(a, using: .trapezoidal, stepSize: 2) == [0, -1, 0.5, -0.25])
    #expect(vDSP.integrate(a, using: .runningSum) == [0, -2, 1.5, -2.75])
    #expect(
      vDSP.evaluatePolynomial(usingCoefficients: [2, 0, 1], withVariables: a)
        == [3, 9, 25.5, 37.125])
    #expect(vDSP.powerToDecibels([1, 100] as [Float], zeroReference: 1) == [0, 20])
    #expect(vDSP.amplitudeToDecibels([1, 100] as [Float], zeroReference: 1) == [0, 40])
  }

  @Test("Numbers change their types")
  func converts() {
    #expect(vDSP.floatToDouble(a) == a.map(Double.init))
    #expect(vDSP.doubleToFloat([0.1, 2]) == [Float(0.1), 2])
    #expect(
      vDSP.integerToFloatingPoint([1, -2] as [Int16], floatingPointType: Float.self) == [1, -2])
    #expect(vDSP.integerToFloatingPoint([7] as [UInt32], floatingPointType: Double.self) == [7])
    #expect(
      vDSP.floatingPointToInteger(
        [1.5, -2.7] as [Float], integerType: Int8.self, rounding: .towardZero)
        == [1, -2])
    #expect(
      vDSP.floatingPointToInteger(
        [1.5, -2.7], integerType: UInt16.self, rounding: .towardNearestInteger) == [2, 0])
  }

  @Test("vForce's functions take and return arrays, slices and buffers")
  func computesElementaryFunctions() {
    let x: [Float] = [0.5, 1, 2]
    #expect(areClose(vForce.exp(x).map(Double.init), x.map { exp(Double($0)) }, Float.self))
    #expect(areClose(vForce.log([1, 2, 4.0]), [0, log(2), log(4)], Double.self))
    #expect(vForce.sqrt([4, 9] as [Float]) == [2, 3])
    #expect(areClose(vForce.tanh(x).map(Double.init), x.map { tanh(Double($0)) }, Float.self))
    #expect(vForce.pow(bases: [2, 3] as [Float], exponents: [3, 2]) == [8, 9])
    #expect(vForce.floor([1.5, -1.5] as [Double]) == [1, -2])
    #expect(vForce.nearestInteger([1.5, 2.5] as [Float]) == [2, 2])
    #expect(vForce.reciprocal([2, 4] as [Float]) == [0.5, 0.25])
    #expect(areClose(vForce.atan2(x: [0, -1.0], y: [1, 0]), [.pi / 2, .pi], Double.self))
    #expect(vForce.remainder(dividends: [5] as [Float], divisors: [3]) == [-1])
    #expect(vForce.truncatingRemainder(dividends: [5] as [Float], divisors: [3]) == [2])
    var (sines, cosines) = (x, x)
    vForce.sincos(x, sinResult: &sines, cosResult: &cosines)
    #expect(
      areClose(
        vDSP.add(vDSP.square(sines), vDSP.square(cosines)).map(Double.init), [1, 1, 1], Float.self))
    x.withUnsafeBufferPointer { #expect(vForce.trunc($0) == [0, 1, 2]) }
  }

  @Test("Complex vectors are split, joined and measured")
  func handlesComplexVectors() {
    var (real, imaginary) = ([Float](repeating: 0, count: 2), [Float](repeating: 0, count: 2))
    var magnitudes = real
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        var split = DSPSplitComplex(realp: real.baseAddress!, imagp: imaginary.baseAddress!)
        let pairs = [DSPComplex(real: 3, imag: 4), DSPComplex(real: 0, imag: -2)]
        vDSP.convert(interleavedComplexVector: pairs, toSplitComplexVector: &split)
        vDSP.absolute(split, result: &magnitudes)
        #expect(magnitudes == [5, 2])
        vDSP.squareMagnitudes(split, result: &magnitudes)
        #expect(magnitudes == [25, 4])
        #expect([Float](fromSplitComplex: split, scale: 2, count: 4) == [6, 8, 0, -4])
        vDSP.multiply(split, by: split, count: 2, useConjugate: true, result: &split)
        #expect(split.realp[0] == 25 && split.imagp[0] == 0)
      }
    }
  }
}

extension Double {
  fileprivate var float: Float { Float(self) }
}
