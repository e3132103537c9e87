import AVFAudio
import CoreML
import CreateML
import Foundation
import ModelTools
import Tensors
import Testing

/// The networks of `atelier fetch sound`.
private enum SoundNetworks {
  /// Whether the network is in the cache or can be fetched.
  static let canRun: Bool = {
    if SoundPrint.isAvailable { return true }
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    try? FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    return (try? FetchableModel.sound.fetch(scratch: scratch)) != nil
  }()
}

/// Tests sound classifiers that are trained on a few sounds of each class.
@Suite(.enabled(if: SoundNetworks.canRun), .serialized)
struct SoundClassifierTests {
  /// The kinds of synthetic sounds.
  private enum Sound: String, CaseIterable {
    case bell, chirp, clicks, noise, siren, tone

    /// Makes a sound with a random pitch, loudness and noise.
    func samples(
      _ generator: inout SplitMix64, count: Int = 24_000, rate: Double = 16_000
    ) -> [Float] {
      func random(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &generator)
      }
      let pitch: Double = random(200...2000)
      let loudness: Double = random(0.05...0.8)
      let roughness: Double = random(0.003...0.1)
      let sweep: Double = random(500...3000)
      let period: Double = random(0.1...0.25)
      let (depth, speed) = (random(50...150), random(2...5))
      return (0..<count).map { index in
        let time: Double = Double(index) / rate
        let angle: Double = 2 * .pi * time
        let hiss: Double = random(-1...1)
        let value: Double =
          switch self {
          case .tone: sin(angle * pitch)
          case .chirp: sin(angle * (pitch + sweep * time / 2))
          case .noise: hiss
          case .clicks: hiss * exp(-time.truncatingRemainder(dividingBy: period) * 500)
          case .bell:
            [1, 2.76, 5.4].reduce(0) {
              $0 + sin(angle * pitch * $1) * exp(-time * (3 + $1)) / 3
            }
          case .siren: sin(angle * pitch + depth * sin(angle * speed) / speed)
          }
        return Float(loudness * (value + roughness * random(-1...1)))
      }
    }
  }

  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("SoundClassifierTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  private func write(_ samples: [Float], to file: URL, rate: Double = 16_000) throws {
    let sound = try AVAudioFile(
      forWriting: file,
      settings: [
        AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate, AVNumberOfChannelsKey: 1,
        AVLinearPCMBitDepthKey: 16,
      ])
    let buffer = try #require(
      AVAudioPCMBuffer(
        pcmFormat: sound.processingFormat, frameCapacity: AVAudioFrameCount(samples.count)))
    buffer.frameLength = AVAudioFrameCount(samples.count)
    let channel = try #require(buffer.floatChannelData)[0]
    for (index, sample) in samples.enumerated() { channel[index] = sample }
    try sound.write(from: buffer)
    sound.close()
  }

  /// Writes sounds of every kind into a folder for each kind.
  private func write(_ count: Int, into folder: URL, seed: UInt64, _ kinds: [Sound]) throws {
    var generator = SplitMix64(seed: seed)
    for kind in kinds {
      let part: URL = folder.appendingPathComponent(kind.rawValue, isDirectory: true)
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      for number in 0..<count {
        try write(
          kind.samples(&generator), to: part.appendingPathComponent("\(number).wav"))
      }
    }
  }

  private func input(_ samples: [Float]) -> MLDictionaryFeatureProvider? {
    try? MLDictionaryFeatureProvider(
      dictionary: [
        "audioSamples": MLFeatureValue(
          multiArray: MLMultiArray(MLShapedArray(scalars: samples, shape: [samples.count])))
      ])
  }

  @Test("The print of a sound is that of ONNX Runtime")
  func print() throws {
    let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("Expected/sound_print.json")
    let expected = try JSONDecoder().decode([Double].self, from: Data(contentsOf: file))
    let samples: [Float] = (0..<15_600).map { index in
      let time: Double = Double(index) / 16_000
      let chirp: Double = sin(2 * .pi * (900 - 300 * time) * time) * exp(-time)
      return Float(0.4 * chirp + Double(index * 7919 % 2001 - 1000) / 10_000)
    }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let model = try MLModel(
      specification: SoundPrint.extractor(), configuration: configuration)
    let output = try model.prediction(from: #require(input(samples)))
    let found = try #require(output.featureValue(for: "features")?.multiArrayValue)
    #expect(found.shape == [96])
    let largest: Double = expected.map(abs).max() ?? 0
    let difference: Double =
      expected.indices.map { abs(found[$0].doubleValue - expected[$0]) }
      .max() ?? .nan
    Swift.print("print of a sound: \(difference) of \(largest)")
    #expect(difference < 1e-3 * largest)
  }

  @Test("Ten sounds of each of six kinds train a classifier that names most others")
  func accuracy() throws {
    try withFolder { folder in
      let (learn, judge) = (
        folder.appendingPathComponent("learn"), folder.appendingPathComponent("judge")
      )
      try write(10, into: learn, seed: 1, Sound.allCases)
      try write(10, into: judge, seed: 2, Sound.allCases)
      let classifier = try MLSoundClassifier(
        trainingData: .labeledDirectories(at: learn),
        parameters: .init(validation: .dataSource(.labeledDirectories(at: judge))))
      Swift.print("\(classifier)")
      #expect(classifier.trainingMetrics.classificationError < 0.05)
      #expect(classifier.validationMetrics.exampleCount == 60)
      #expect(classifier.validationMetrics.classificationError < 0.25)
      #expect(classifier.validationMetrics.labels.sorted() == Sound.allCases.map(\.rawValue))
    }
  }

  @Test("The written model gives the classifier's answers for a window, and is updatable")
  func writing() throws {
    try withFolder { folder in
      try write(4, into: folder, seed: 3, [.noise, .tone])
      let classifier = try MLSoundClassifier(
        trainingData: .labeledDirectories(at: folder), parameters: .init(validation: .none))
      #expect(!classifier.validationMetrics.isValid)
      let file: URL = folder.appendingPathComponent("Sounds.mlmodel")
      try classifier.write(to: file, metadata: MLModelMetadata(author: "somebody"))
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      let model = try MLModel(contentsOf: file, configuration: configuration)
      #expect(model.modelDescription.isUpdatable)
      #expect(model.modelDescription.metadata[.author] as? String == "somebody")
      var generator = SplitMix64(seed: 4)
      for kind in [Sound.noise, .tone, .noise, .tone] {
        let samples: [Float] = kind.samples(&generator, count: 15_600)
        let answer = try model.prediction(from: #require(input(samples)))
        let sound: URL = folder.appendingPathComponent("sound.wav")
        try write(samples, to: sound)
        let label = try classifier.prediction(from: sound)
        #expect(answer.featureValue(for: "classLabel")?.stringValue == label)
        #expect(label == kind.rawValue)
      }
    }
  }

  @Test("A sound at another rate is converted, and a short one is followed by silence")
  func rates() throws {
    try withFolder { folder in
      try write(6, into: folder, seed: 5, [.noise, .tone])
      let classifier = try MLSoundClassifier(
        trainingData: .labeledDirectories(at: folder), parameters: .init(validation: .none))
      var generator = SplitMix64(seed: 6)
      let sound: URL = folder.appendingPathComponent("sound.wav")
      try write(
        Sound.tone.samples(&generator, count: 96_000, rate: 48_000), to: sound, rate: 48_000)
      #expect(try classifier.prediction(from: sound) == "tone")
      try write(Sound.noise.samples(&generator, count: 12_000), to: sound)
      #expect(try classifier.prediction(from: sound) == "noise")
    }
  }

  @Test("Unusable sounds and settings give one sentence")
  func faults() throws {
    try withFolder { folder in
      func message(_ source: MLSoundClassifier.DataSource, overlap: Double = 0.5) -> String {
        do {
          _ = try MLSoundClassifier(
            trainingData: source, parameters: .init(validation: .none, overlapFactor: overlap))
          return "no error"
        } catch {
          return "\(error)"
        }
      }
      #expect(
        message(.labeledDirectories(at: folder))
          == "There are no sounds in '\(folder.path)', expected a folder of sounds for each label.")
      try write(1, into: folder, seed: 7, [.noise])
      #expect(
        message(.labeledDirectories(at: folder))
          == "The sounds have 1 label, expected two or more.")
      try write(1, into: folder, seed: 8, [.tone])
      #expect(
        message(.labeledDirectories(at: folder), overlap: 1)
          == "The overlap factor is 1.0, expected 0 to less than 1.")
      try Data("no sound".utf8).write(to: folder.appendingPathComponent("tone/0.wav"))
      #expect(message(.labeledDirectories(at: folder)).contains("tone/0.wav cannot be read"))
    }
  }
}
