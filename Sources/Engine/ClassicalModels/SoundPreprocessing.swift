import Foundation
import ModelFormat

/// Turns sound into a log-mel spectrogram, as VGGish expects it.
///
/// The 15,600 samples (975 ms at 16 kHz) are cut into 96 frames of 400 samples, which begin every 160 samples. For each
/// frame: a periodic Hann window, the magnitudes of a Fourier transform of 512 samples, their sums in 64 mel bands from
/// 125 Hz to 7,500 Hz, and log(sum + 0.01).
///
/// The bands are triangles on the mel scale, 1127 · ln(1 + f / 700 Hz). The transform's first coefficient, the mean, has
/// no weight.
///
/// **Source:** SoundAnalysisPreprocessing.proto; Hershey et al., “CNN architectures for large-scale audio
/// classification”, arXiv:1609.09430; the mel scale of HTK, which VGGish uses.
public struct SoundPreprocessing: Sendable {
  /// The number of samples that the preprocessing reads.
  public static let sampleCount = 15_600
  /// The number of frames of the spectrogram.
  public static let frameCount = 96
  /// The number of mel bands of the spectrogram.
  public static let bandCount = 64

  private static let sampleRate = 16_000.0
  private static let frameLength = 400
  private static let frameStep = 160
  private static let transformLength = 512
  private static let frequencies: (lowest: Double, highest: Double) = (125, 7_500)
  private static let offset = 0.01

  private let window: [Double]
  /// The weight of each coefficient of the transform in each band, `[bands, coefficients]`.
  private let weights: [[Double]]
  private let transform = FourierTransform(length: SoundPreprocessing.transformLength)

  /// Reads and checks a model.
  public init(_ message: Spec.CoreMLModels.SoundAnalysisPreprocessing) throws {
    guard case .vggish? = message.soundAnalysisPreprocessingType else {
      throw ClassicalModelError.model(
        "The sound preprocessing names no kind, expected vggish. The model may be newer than the"
          + " specification that is known here.")
    }
    self.init()
  }

  /// Creates the preprocessing of VGGish.
  public init() {
    window = (0..<Self.frameLength).map {
      0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(Self.frameLength))
    }
    func mel(_ frequency: Double) -> Double { 1127 * log(1 + frequency / 700) }
    let coefficients: Int = Self.transformLength / 2 + 1
    let points: [Double] = (0..<coefficients).map {
      mel(Double($0) * Self.sampleRate / Double(Self.transformLength))
    }
    let (low, high) = (mel(Self.frequencies.lowest), mel(Self.frequencies.highest))
    let step: Double = (high - low) / Double(Self.bandCount + 1)
    weights = (0..<Self.bandCount).map { band in
      let (left, center) = (low + step * Double(band), low + step * Double(band + 1))
      let right: Double = center + step
      return points.enumerated().map { index, point in
        guard index > 0 else { return 0 }
        return max(0, min((point - left) / (center - left), (right - point) / (right - center)))
      }
    }
  }

  /// Returns the spectrogram, `[96, 64]` in row-major order: one row per frame.
  ///
  /// - Parameter samples: 15,600 samples of −1…1, one channel at 16 kHz.
  public func apply(_ samples: [Double]) throws -> [Double] {
    guard samples.count == Self.sampleCount else {
      throw ClassicalModelError.input(
        "The sound has \(samples.count) samples, expected \(Self.sampleCount): 975 ms of one channel"
          + " at 16 kHz.")
    }
    var result: [Double] = []
    result.reserveCapacity(Self.frameCount * Self.bandCount)
    for frame in 0..<Self.frameCount {
      let start: Int = frame * Self.frameStep
      let windowed: [Double] = window.indices.map { samples[start + $0] * window[$0] }
      let magnitudes: [Double] = transform.magnitudes(of: windowed)
      for band in weights {
        let sum: Double = zip(band, magnitudes).reduce(0) { $0 + $1.0 * $1.1 }
        result.append(log(sum + Self.offset))
      }
    }
    return result
  }
}

/// A Fourier transform of real samples. The number of samples is a power of two.
///
/// **Source:** Cooley and Tukey, “An algorithm for the machine calculation of complex Fourier series”, 1965.
private struct FourierTransform: Sendable {
  private let length: Int
  /// The positions of the samples in bit-reversed order.
  private let order: [Int]
  /// cos and −sin of 2π · k / length.
  private let cosines: [Double], sines: [Double]

  init(length: Int) {
    precondition(length > 1 && length & (length - 1) == 0, "a power of two")
    self.length = length
    let bits: Int = length.trailingZeroBitCount
    order = (0..<length).map { index in
      (0..<bits).reduce(0) { $0 << 1 | (index >> $1 & 1) }
    }
    let angles: [Double] = (0..<(length / 2)).map { 2 * Double.pi * Double($0) / Double(length) }
    cosines = angles.map { cos($0) }
    sines = angles.map { -sin($0) }
  }

  /// Returns the magnitudes of the first `length / 2 + 1` coefficients. Missing samples at the end are 0.
  func magnitudes(of samples: [Double]) -> [Double] {
    var real: [Double] = order.map { $0 < samples.count ? samples[$0] : 0 }
    var imaginary = [Double](repeating: 0, count: length)
    var half = 1
    while half < length {
      let step: Int = length / (2 * half)
      for block in stride(from: 0, to: length, by: 2 * half) {
        for index in 0..<half {
          let (first, second) = (block + index, block + index + half)
          let (cosine, sine) = (cosines[index * step], sines[index * step])
          let turned: (real: Double, imaginary: Double) = (
            real[second] * cosine - imaginary[second] * sine,
            real[second] * sine + imaginary[second] * cosine
          )
          (real[second], imaginary[second]) = (
            real[first] - turned.real, imaginary[first] - turned.imaginary
          )
          real[first] += turned.real
          imaginary[first] += turned.imaginary
        }
      }
      half *= 2
    }
    return (0...(length / 2)).map { (index: Int) -> Double in
      let squared: Double = real[index] * real[index] + imaginary[index] * imaginary[index]
      return squared.squareRoot()
    }
  }
}
