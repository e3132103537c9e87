/// A vector of complex numbers that `vDSP.FFT` transforms: `DSPSplitComplex` or `DSPDoubleSplitComplex`.
public protocol vDSP_FourierTransformable {
  /// The C functions for this type.
  associatedtype _Functions: FourierTransformFunctions where _Functions.SplitComplex == Self
}

/// The C functions of fast Fourier transforms, for one type of numbers.
public protocol FourierTransformFunctions {
  associatedtype SplitComplex
  static func makeSetup(log2n: vDSP_Length) -> OpaquePointer?
  static func destroy(_ setup: OpaquePointer)
  /// Transforms a complex vector, or a packed real vector.
  static func transform(
    _ setup: OpaquePointer, log2n: vDSP_Length, from input: SplitComplex,
    to output: SplitComplex, direction: vDSP.FourierTransformDirection, isReal: Bool)
}

extension vDSP {
  /// The radix of a transform. Here, only `radix2` gives a setup. Apple's vDSP supports every radix.
  public enum Radix: Int32, Sendable {
    case radix2 = 0
    case radix3 = 1
    case radix5 = 2
  }

  /// The sign of a transform's exponent: negative for forward transforms.
  public enum FourierTransformDirection: Sendable {
    case forward
    case inverse

    var sign: FFTDirection { self == .forward ? 1 : -1 }
    var dftDirection: vDSP_DFT_Direction {
      self == .forward ? .FORWARD : .INVERSE
    }
  }

  /// Fast Fourier transforms of 2ⁿ numbers.
  ///
  /// `forward` and `inverse` transform real vectors, packed as `vDSP_fft_zrop` does. `forward` gives twice the
  /// mathematical result. Neither method divides by the length. `transform` transforms complex vectors.
  public final class FFT<T: vDSP_FourierTransformable> {
    private let setup: OpaquePointer
    private let log2n: vDSP_Length

    /// Makes a setup for 2^`log2n` numbers. Returns nil for another radix than 2, and if FFTW cannot be opened.
    public init?(log2n: vDSP_Length, radix: Radix, ofType type: T.Type) {
      guard radix == .radix2, let setup = T._Functions.makeSetup(log2n: log2n) else { return nil }
      self.setup = setup
      self.log2n = log2n
    }

    deinit { T._Functions.destroy(setup) }

    /// Transforms real numbers. The real parts of `input` are the numbers with even indices, the imaginary parts those
    /// with odd indices.
    public func forward(input: T, output: inout T) {
      T._Functions.transform(
        setup, log2n: log2n, from: input, to: output, direction: .forward, isReal: true)
    }

    /// Transforms a packed spectrum to real numbers.
    public func inverse(input: T, output: inout T) {
      T._Functions.transform(
        setup, log2n: log2n, from: input, to: output, direction: .inverse, isReal: true)
    }

    /// Transforms complex numbers.
    public func transform(input: T, output: inout T, direction: FourierTransformDirection) {
      T._Functions.transform(
        setup, log2n: log2n, from: input, to: output, direction: direction, isReal: false)
    }
  }
}

extension DSPSplitComplex: vDSP_FourierTransformable {
  /// The functions in single precision.
  public enum _Functions: FourierTransformFunctions {
    public static func makeSetup(log2n: vDSP_Length) -> OpaquePointer? {
      vDSP_create_fftsetup(log2n, FFTRadix(kFFTRadix2))
    }

    public static func destroy(_ setup: OpaquePointer) { vDSP_destroy_fftsetup(setup) }

    public static func transform(
      _ setup: OpaquePointer, log2n: vDSP_Length, from input: DSPSplitComplex,
      to output: DSPSplitComplex, direction: vDSP.FourierTransformDirection, isReal: Bool
    ) {
      var (input, output) = (input, output)
      let function = isReal ? vDSP_fft_zrop : vDSP_fft_zop
      function(setup, &input, 1, &output, 1, log2n, direction.sign)
    }
  }
}

extension DSPDoubleSplitComplex: vDSP_FourierTransformable {
  /// The functions in double precision.
  public enum _Functions: FourierTransformFunctions {
    public static func makeSetup(log2n: vDSP_Length) -> OpaquePointer? {
      vDSP_create_fftsetupD(log2n, FFTRadix(kFFTRadix2))
    }

    public static func destroy(_ setup: OpaquePointer) { vDSP_destroy_fftsetupD(setup) }

    public static func transform(
      _ setup: OpaquePointer, log2n: vDSP_Length, from input: DSPDoubleSplitComplex,
      to output: DSPDoubleSplitComplex, direction: vDSP.FourierTransformDirection, isReal: Bool
    ) {
      var (input, output) = (input, output)
      let function = isReal ? vDSP_fft_zropD : vDSP_fft_zopD
      function(setup, &input, 1, &output, 1, log2n, direction.sign)
    }
  }
}
