/// A type of numbers that discrete Fourier transforms compute with: `Float` or `Double`.
public protocol vDSP_FloatingPointDiscreteFourierTransformable: vDSP_FloatingPoint {
  /// Makes the setup of a transform, for complex or for real vectors.
  static func _makeTransform(
    count: vDSP_Length, direction: vDSP_DFT_Direction, isReal: Bool
  ) -> OpaquePointer?
  static func _destroyTransform(_ setup: OpaquePointer)
  static func _transform(
    _ setup: OpaquePointer, _ inputReal: UnsafePointer<Self>,
    _ inputImaginary: UnsafePointer<Self>, _ outputReal: UnsafeMutablePointer<Self>,
    _ outputImaginary: UnsafeMutablePointer<Self>)
}

extension Float: vDSP_FloatingPointDiscreteFourierTransformable {
  public static func _makeTransform(
    count: vDSP_Length, direction: vDSP_DFT_Direction, isReal: Bool
  ) -> OpaquePointer? {
    (isReal ? vDSP_DFT_zrop_CreateSetup : vDSP_DFT_zop_CreateSetup)(nil, count, direction)
  }

  public static func _destroyTransform(_ setup: OpaquePointer) { vDSP_DFT_DestroySetup(setup) }

  public static func _transform(
    _ setup: OpaquePointer, _ inputReal: UnsafePointer<Float>,
    _ inputImaginary: UnsafePointer<Float>, _ outputReal: UnsafeMutablePointer<Float>,
    _ outputImaginary: UnsafeMutablePointer<Float>
  ) {
    vDSP_DFT_Execute(setup, inputReal, inputImaginary, outputReal, outputImaginary)
  }
}

extension Double: vDSP_FloatingPointDiscreteFourierTransformable {
  public static func _makeTransform(
    count: vDSP_Length, direction: vDSP_DFT_Direction, isReal: Bool
  ) -> OpaquePointer? {
    (isReal ? vDSP_DFT_zrop_CreateSetupD : vDSP_DFT_zop_CreateSetupD)(nil, count, direction)
  }

  public static func _destroyTransform(_ setup: OpaquePointer) { vDSP_DFT_DestroySetupD(setup) }

  public static func _transform(
    _ setup: OpaquePointer, _ inputReal: UnsafePointer<Double>,
    _ inputImaginary: UnsafePointer<Double>, _ outputReal: UnsafeMutablePointer<Double>,
    _ outputImaginary: UnsafeMutablePointer<Double>
  ) {
    vDSP_DFT_ExecuteD(setup, inputReal, inputImaginary, outputReal, outputImaginary)
  }
}

extension vDSP {
  /// The numbers that a discrete Fourier transform takes or gives.
  public enum DFTTransformType: Sendable {
    case complexComplex
    /// The vectors are the even and the odd elements of a real vector, or its packed spectrum.
    case complexReal
  }

  /// Why a transform cannot be made.
  public enum DFTError: Error, CustomStringConvertible {
    /// The transform has no setup for this number of elements, or FFTW cannot be opened.
    case initializationFailed(count: Int)

    public var description: String {
      switch self {
      case .initializationFailed(let count):
        "A Fourier transform of \(count) numbers cannot be made: expected f · 2ⁿ with f = 1, 3, 5 or 15 and "
          + "n ≥ 3 (n ≥ 4 for real vectors), and the libraries libfftw3-single3 and libfftw3-double3."
      }
    }
  }

  /// Discrete Fourier transforms of f · 2ⁿ numbers, with f = 1, 3, 5 or 15 and n ≥ 3 (n ≥ 4 for real vectors).
  ///
  /// The transforms do not divide by the length. A forward transform of a real vector gives twice the mathematical
  /// result.
  public class DiscreteFourierTransform<T: vDSP_FloatingPointDiscreteFourierTransformable> {
    private let setup: OpaquePointer
    private let count: Int

    /// Makes a transform of `count` numbers. `previous` is not used.
    public init(
      previous: DiscreteFourierTransform<T>? = nil, count: Int,
      direction: FourierTransformDirection, transformType: DFTTransformType, ofType type: T.Type
    ) throws {
      let isReal = transformType == .complexReal
      guard count > 0,
        let setup = T._makeTransform(
          count: vDSP_Length(count), direction: direction.dftDirection, isReal: isReal)
      else { throw DFTError.initializationFailed(count: count) }
      self.setup = setup
      self.count = isReal ? count / 2 : count
    }

    deinit { T._destroyTransform(setup) }

    /// Returns the transform of a vector.
    public func transform<U: AccelerateBuffer<T>, V: AccelerateBuffer<T>>(
      real: U, imaginary: V
    ) -> (real: [T], imaginary: [T]) {
      var outputReal = [T](repeating: 0, count: count)
      var outputImaginary = outputReal
      transform(
        inputReal: real, inputImaginary: imaginary, outputReal: &outputReal,
        outputImaginary: &outputImaginary)
      return (outputReal, outputImaginary)
    }

    /// Returns the transform of a vector.
    public func transform<U: AccelerateBuffer<T>, V: AccelerateBuffer<T>>(
      inputReal: U, inputImaginary: V
    ) -> (real: [T], imaginary: [T]) {
      transform(real: inputReal, imaginary: inputImaginary)
    }

    /// Writes the transform of a vector.
    public func transform<
      U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, X: AccelerateMutableBuffer<T>,
      Y: AccelerateMutableBuffer<T>
    >(
      inputReal: U, inputImaginary: V, outputReal: inout X, outputImaginary: inout Y
    ) {
      precondition(
        inputReal.count == count && inputImaginary.count == count && outputReal.count == count
          && outputImaginary.count == count,
        "The vectors have another length than the transform.")
      withVectors(inputReal, inputImaginary, &outputReal) { real, imaginary, output, _ in
        withResult(&outputImaginary) { other, _ in
          T._transform(setup, real, imaginary, output, other)
        }
      }
    }
  }

  /// The older class of discrete Fourier transforms, whose initialiser returns nil instead of throwing.
  public final class DFT<T: vDSP_FloatingPointDiscreteFourierTransformable>:
    DiscreteFourierTransform<T>
  {
    /// Makes a transform of `count` numbers, or returns nil. `previous` is not used.
    public init?(
      previous: DFT<T>? = nil, count: Int, direction: FourierTransformDirection,
      transformType: DFTTransformType, ofType type: T.Type
    ) {
      do {
        try super.init(
          previous: nil as DiscreteFourierTransform<T>?, count: count, direction: direction,
          transformType: transformType, ofType: type)
      } catch { return nil }
    }
  }

  /// The types of a cosine transform.
  public enum DCTTransformType: Sendable {
    case II
    case III
    case IV
  }

  /// Discrete cosine transforms of f · 2ⁿ numbers, with f = 1, 3, 5 or 15 and n ≥ 4.
  public final class DCT {
    private let setup: OpaquePointer
    private let count: Int

    /// Makes a transform of `count` numbers, or returns nil. `previous` is not used.
    public init?(previous: DCT? = nil, count: Int, transformType: DCTTransformType) {
      let type: vDSP_DCT_Type =
        switch transformType {
        case .II: .II
        case .III: .III
        case .IV: .IV
        }
      guard count > 0, let setup = vDSP_DCT_CreateSetup(nil, vDSP_Length(count), type) else {
        return nil
      }
      self.setup = setup
      self.count = count
    }

    deinit { vDSP_DFT_DestroySetup(setup) }

    /// Returns the transform of a vector.
    public func transform<U: AccelerateBuffer<Float>>(_ vector: U) -> [Float] {
      made(count: vector.count) { transform(vector, result: &$0) }
    }

    /// Writes the transform of a vector to `result`.
    public func transform<U: AccelerateBuffer<Float>, R: AccelerateMutableBuffer<Float>>(
      _ vector: U, result: inout R
    ) {
      precondition(vector.count == count, "The vector has another length than the transform.")
      withVectors(vector, &result) { input, output, _ in vDSP_DCT_Execute(setup, input, output) }
    }
  }
}
