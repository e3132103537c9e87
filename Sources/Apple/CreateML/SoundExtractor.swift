import AVFAudio
import CoreML
import Foundation
import ModelFormat
import ModelTools

/// The network that computes features of sounds for classifiers.
struct SoundExtractor {
  /// The specification of the network.
  let specification: Spec.Model
  private let model: MLModel

  /// Opens the network that `atelier fetch sound` downloaded.
  init() throws {
    (specification, model) = try MLModel.featureExtractor { try SoundPrint.extractor() }
  }

  /// Computes the feature print of each window of each sound.
  func prints(
    of files: [String: [URL]], overlap: Double
  ) throws -> [(label: String, print: [Float])] {
    try files.sorted { $0.key < $1.key }.flatMap { label, files in
      try files.flatMap { file in
        try Self.windows(of: file, overlap: overlap).map { (label, try print(of: $0)) }
      }
    }
  }

  private func print(of window: [Float]) throws -> [Float] {
    let features = try creating {
      try model.prediction(
        from: MLDictionaryFeatureProvider(
          dictionary: [SoundPrint.inputName: Self.input(window)]))
    }
    guard let array = features.featureValue(for: SoundPrint.outputName)?.multiArrayValue else {
      preconditionFailure("the network was made with this output")
    }
    return (0..<array.count).map { array[$0].floatValue }
  }

  /// Returns the samples of a window as the input of the network.
  static func input(_ window: [Float]) -> MLFeatureValue {
    MLFeatureValue(multiArray: MLMultiArray(MLShapedArray(scalars: window, shape: [window.count])))
  }

  /// Cuts a sound into windows of ``SoundPrint/sampleCount`` samples.
  ///
  /// - Parameter overlap: The part of a window that it has in common with the window before it.
  static func windows(of file: URL, overlap: Double) throws -> [[Float]] {
    windows(of: try samples(of: file), overlap: overlap)
  }

  /// Cuts samples into windows. The last window ends with the last sample, so it may overlap more than the others. A
  /// sound that is shorter than a window is followed by silence.
  static func windows(of samples: [Float], overlap: Double) -> [[Float]] {
    let length: Int = SoundPrint.sampleCount
    guard samples.count > length else {
      return [samples + [Float](repeating: 0, count: length - samples.count)]
    }
    let step: Int = max(1, Int((Double(length) * (1 - overlap)).rounded()))
    let last: Int = samples.count - length
    var starts: [Int] = Array(stride(from: 0, through: last, by: step))
    if starts.last != last { starts.append(last) }
    return starts.map { Array(samples[$0..<($0 + length)]) }
  }

  /// Reads a file as one channel at 16 kHz.
  private static func samples(of file: URL) throws -> [Float] {
    do {
      let source = try AVAudioFile(forReading: file)
      guard
        let target = AVAudioFormat(
          commonFormat: .pcmFormatFloat32, sampleRate: SoundPrint.sampleRate, channels: 1,
          interleaved: false),
        let converter = AVAudioConverter(from: source.processingFormat, to: target)
      else { preconditionFailure("both formats are linear") }
      converter.downmix = true
      var samples: [Float] = []
      while true {
        guard let output = AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 1 << 16) else {
          preconditionFailure("the format is linear")
        }
        var failure: NSError?
        let status = converter.convert(to: output, error: &failure) { count, status in
          guard source.framePosition < source.length,
            let input = AVAudioPCMBuffer(
              pcmFormat: source.processingFormat, frameCapacity: max(count, 4096)),
            (try? source.read(into: input)) != nil
          else {
            status.pointee = .endOfStream
            return nil
          }
          status.pointee = .haveData
          return input
        }
        if let failure { throw failure }
        if let channel = output.floatChannelData?[0] {
          samples.append(
            contentsOf: UnsafeBufferPointer(start: channel, count: Int(output.frameLength)))
        }
        if status == .endOfStream || output.frameLength == 0 { break }
      }
      guard !samples.isEmpty else {
        throw MLCreateError.io(reason: "The sound '\(file.path)' has no samples.")
      }
      return samples
    } catch let error as MLCreateError {
      throw error
    } catch {
      throw MLCreateError.io(reason: error.localizedDescription)
    }
  }
}
