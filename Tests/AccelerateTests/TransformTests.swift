import Accelerate
import Foundation
import Testing

/// Transforms that NumPy computed (Expected/make_transforms.py).
struct ExpectedTransform: Decodable, CustomTestStringConvertible, Sendable {
  let real, imaginary, spectrumReal, spectrumImaginary, halfReal, halfImaginary: [Double]
  let cosines: [[Double]]?

  var count: Int { real.count }
  var testDescription: String { "\(count) numbers" }
  var log2: UInt? { count.nonzeroBitCount == 1 ? UInt(count.trailingZeroBitCount) : nil }

  /// The packed spectrum of the real vector: the last number is stored as the imaginary part of the first number.
  var packed: (real: [Double], imaginary: [Double]) {
    let half = count / 2
    return (
      Array(halfReal[..<half]), [halfReal[half]] + halfImaginary[1..<half]
    )
  }

  /// The even and the odd elements of the real vector.
  var even: [Double] { stride(from: 0, to: count, by: 2).map { real[$0] } }
  var odd: [Double] { stride(from: 1, to: count, by: 2).map { real[$0] } }

  static let all: [ExpectedTransform] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "Expected/transforms.json")
    return try! JSONDecoder().decode([ExpectedTransform].self, from: Data(contentsOf: file))
  }()
}

/// A complex vector with a stride in memory.
final class SplitVector {
  var real: Strided<Float>
  var imaginary: Strided<Float>
  let stride: Int

  init(_ real: [Double], _ imaginary: [Double], stride: Int = 1) {
    self.stride = stride
    self.real = Strided(count: real.count, stride: stride) { real[$0] }
    self.imaginary = Strided(count: real.count, stride: stride) { imaginary[$0] }
  }

  func change(_ body: (UnsafePointer<DSPSplitComplex>) -> Void) {
    real.memory.withUnsafeMutableBufferPointer { real in
      imaginary.memory.withUnsafeMutableBufferPointer { imaginary in
        var vector = DSPSplitComplex(realp: real.baseAddress!, imagp: imaginary.baseAddress!)
        body(&vector)
      }
    }
  }

  func isClose(_ real: [Double], _ imaginary: [Double], size: Int) -> Bool {
    self.real.isIntact && self.imaginary.isIntact
      && areNear(self.real.values, real, size: size)
      && areNear(self.imaginary.values, imaginary, size: size)
  }
}

/// True if the vectors differ by rounding errors of transforms of `size` numbers from -1 to 1.
func areNear(_ found: [Double], _ expected: [Double], size: Int, scale: Double = 1) -> Bool {
  found.count == expected.count
    && zip(found, expected).allSatisfy {
      abs($0 - $1) <= 1e-6 * scale * Double(max(size, 1)).squareRoot() * 3
    }
}

@Suite struct TransformTests {
  @Test(
    "Complex transforms of powers of 2 equal NumPy's", arguments: ExpectedTransform.all, [1, 3])
  func transformsComplex(expected: ExpectedTransform, stride: Int) throws {
    guard let log2 = expected.log2 else { return }
    let setup = try #require(vDSP_create_fftsetup(log2, FFTRadix(kFFTRadix2)))
    defer { vDSP_destroy_fftsetup(setup) }
    let n = expected.count
    let vector = SplitVector(expected.real, expected.imaginary, stride: stride)
    vector.change { vDSP_fft_zip(setup, $0, stride, log2, FFTDirection(FFT_FORWARD)) }
    #expect(vector.isClose(expected.spectrumReal, expected.spectrumImaginary, size: n))
    let back = SplitVector([Double](repeating: 0, count: n), [Double](repeating: 0, count: n))
    vector.change { from in
      back.change {
        vDSP_fft_zop(setup, from, stride, $0, 1, log2, FFTDirection(FFT_INVERSE))
      }
    }
    #expect(
      areNear(back.real.values.map { $0 / Double(n) }, expected.real, size: n)
        && areNear(back.imaginary.values.map { $0 / Double(n) }, expected.imaginary, size: n))
  }

  @Test(
    "Real transforms are packed, twice NumPy's, and their own inverse times 2n",
    arguments: ExpectedTransform.all, [1, 2])
  func transformsReal(expected: ExpectedTransform, stride: Int) throws {
    guard let log2 = expected.log2, log2 > 0 else { return }
    // A setup for longer vectors also transforms shorter vectors.
    let setup = try #require(vDSP_create_fftsetup(12, FFTRadix(kFFTRadix2)))
    defer { vDSP_destroy_fftsetup(setup) }
    let vector = SplitVector(expected.even, expected.odd, stride: stride)
    vector.change { vDSP_fft_zrip(setup, $0, stride, log2, FFTDirection(FFT_FORWARD)) }
    let (real, imaginary) = expected.packed
    #expect(vector.isClose(real.map { 2 * $0 }, imaginary.map { 2 * $0 }, size: expected.count))
    vector.change { vDSP_fft_zrip(setup, $0, stride, log2, FFTDirection(FFT_INVERSE)) }
    let scale = 2 * Double(expected.count)
    #expect(areNear(vector.real.values.map { $0 / scale }, expected.even, size: expected.count))
    #expect(areNear(vector.imaginary.values.map { $0 / scale }, expected.odd, size: expected.count))
  }

  @Test(
    "Discrete transforms of other lengths equal NumPy's in both precisions",
    arguments: ExpectedTransform.all)
  func transformsOtherLengths(expected: ExpectedTransform) throws {
    let n = expected.count
    let isSupported = n >= 8 && n % 8 == 0
    let forward = vDSP_DFT_zop_CreateSetup(nil, UInt(n), .FORWARD)
    #expect((forward != nil) == isSupported)
    guard let forward else { return }
    defer { vDSP_DFT_DestroySetup(forward) }
    var real = expected.real.map(Float.init)
    var imaginary = expected.imaginary.map(Float.init)
    let (inputReal, inputImaginary) = (real, imaginary)
    vDSP_DFT_Execute(forward, inputReal, inputImaginary, &real, &imaginary)
    #expect(areNear(real.map(Double.init), expected.spectrumReal, size: n))
    #expect(areNear(imaginary.map(Double.init), expected.spectrumImaginary, size: n))

    let exact = try vDSP.DiscreteFourierTransform(
      count: n, direction: .forward, transformType: .complexComplex, ofType: Double.self)
    let result = exact.transform(real: expected.real, imaginary: expected.imaginary)
    #expect(areNear(result.real, expected.spectrumReal, size: n, scale: 1e-5))
    #expect(areNear(result.imaginary, expected.spectrumImaginary, size: n, scale: 1e-5))

    guard n % 16 == 0 else { return }
    let packed = expected.packed
    let realForward = try #require(
      vDSP.DFT(count: n, direction: .forward, transformType: .complexReal, ofType: Float.self))
    let spectrum = realForward.transform(
      inputReal: expected.even.map(Float.init), inputImaginary: expected.odd.map(Float.init))
    #expect(areNear(spectrum.real.map { Double($0) / 2 }, packed.real, size: n))
    #expect(areNear(spectrum.imaginary.map { Double($0) / 2 }, packed.imaginary, size: n))
    let realInverse = try #require(
      vDSP.DFT(count: n, direction: .inverse, transformType: .complexReal, ofType: Float.self))
    let back = realInverse.transform(
      inputReal: spectrum.real, inputImaginary: spectrum.imaginary)
    #expect(areNear(back.real.map { Double($0) / Double(2 * n) }, expected.even, size: n))
    #expect(areNear(back.imaginary.map { Double($0) / Double(2 * n) }, expected.odd, size: n))
  }

  @Test("Cosine transforms equal their sums", arguments: ExpectedTransform.all)
  func transformsCosines(expected: ExpectedTransform) throws {
    guard let cosines = expected.cosines else { return }
    for (type, values) in zip([vDSP.DCTTransformType.II, .III, .IV], cosines) {
      let transform = try #require(vDSP.DCT(count: expected.count, transformType: type))
      let result = transform.transform(expected.real.map(Float.init))
      #expect(areNear(result.map(Double.init), values, size: expected.count))
    }
  }

  @Test("The class FFT transforms real and complex vectors", arguments: ExpectedTransform.all)
  func transformsByClass(expected: ExpectedTransform) throws {
    guard let log2 = expected.log2, log2 > 0 else { return }
    let fft = try #require(
      vDSP.FFT(log2n: log2, radix: .radix2, ofType: DSPSplitComplex.self))
    let zeros = [Double](repeating: 0, count: expected.count / 2)
    let (input, output) = (SplitVector(expected.even, expected.odd), SplitVector(zeros, zeros))
    input.change { from in
      output.change {
        var to = $0.pointee
        fft.forward(input: from.pointee, output: &to)
      }
    }
    let (real, imaginary) = expected.packed
    #expect(output.isClose(real.map { 2 * $0 }, imaginary.map { 2 * $0 }, size: expected.count))
  }

  @Test("Setups that Apple's vDSP refuses are nil")
  func refusesSetups() {
    #expect(vDSP_create_fftsetup(4, FFTRadix(kFFTRadix3)) == nil)
    #expect(vDSP_DFT_zop_CreateSetup(nil, 7, .FORWARD) == nil)
    #expect(vDSP_DFT_zop_CreateSetup(nil, 72, .FORWARD) == nil)
    #expect(vDSP_DFT_zrop_CreateSetup(nil, 8, .FORWARD) == nil)
    #expect(vDSP_DCT_CreateSetup(nil, 24, .II) == nil)
    let error = #expect(throws: vDSP.DFTError.self) {
      try vDSP.DiscreteFourierTransform(
        count: 7, direction: .forward, transformType: .complexComplex, ofType: Float.self)
    }
    #expect(error?.description.hasPrefix("A Fourier transform of 7 numbers cannot be made") == true)
  }

  @Test("One setup serves several threads")
  func servesThreads() async throws {
    let expected = try #require(ExpectedTransform.all.first { $0.count == 512 })
    nonisolated(unsafe) let setup = try #require(vDSP_create_fftsetup(9, FFTRadix(kFFTRadix2)))
    defer { vDSP_destroy_fftsetup(setup) }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let vector = SplitVector(expected.real, expected.imaginary)
          vector.change { vDSP_fft_zip(setup, $0, 1, 9, FFTDirection(FFT_FORWARD)) }
          return vector.isClose(expected.spectrumReal, expected.spectrumImaginary, size: 512)
        }
      }
      for await isClose in group { #expect(isClose) }
    }
  }
}
