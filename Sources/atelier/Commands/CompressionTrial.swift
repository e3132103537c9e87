import CoreGraphics
import CoreML
import CoreVideo
import Foundation
import Imaging

/// Runs a model and its compressed form on the same samples, and measures how similar the outputs are.
struct CompressionTrial {
  /// How similar the outputs of the original and of the compressed model are.
  struct Result: Encodable {
    /// For pictures and arrays: the peak signal-to-noise ratio in dB, from the mean squared error over all samples. Nil
    /// if all outputs are equal.
    var decibels: Double?
    /// For pictures: the mean structural similarity (SSIM).
    var structure: Double?
    /// For classifiers: the share of samples for which both models have the same most probable class.
    var agreement: Double?
  }

  private enum Answer {
    case picture(Picture)
    case numbers([Float])
    case label(String)
  }

  private let configuration: MLModelConfiguration
  private let samples: [any MLFeatureProvider]
  private let originals: [[String: Answer]]

  /// Runs the original model on the samples.
  ///
  /// - Parameter pictures: The sample pictures for the model's picture input. A model without a picture input gets
  ///   noise.
  init(_ model: URL, pictures: [String], configuration: MLModelConfiguration) throws {
    self.configuration = configuration
    let original = try MLModel(contentsOf: model, configuration: configuration)
    samples = try Self.samples(for: original.modelDescription, pictures)
    originals = try samples.map { try Self.answers(of: original, to: $0) }
  }

  private static func samples(
    for description: MLModelDescription, _ pictures: [String]
  ) throws -> [any MLFeatureProvider] {
    let (noise, _) = try ModelInputs.noise(for: description, size: nil)
    let inputs = description.inputDescriptionsByName.values.filter { $0.type == .image }
    guard let input = inputs.min(by: { $0.name < $1.name }), !pictures.isEmpty else {
      return [noise]
    }
    var values: [String: MLFeatureValue] = noise.dictionary
    return try pictures.map { path in
      values[input.name] = try InputValue.make(path, input, cropAndScale: .centerCrop)
      return try MLDictionaryFeatureProvider(dictionary: values)
    }
  }

  private static func answers(
    of model: MLModel, to input: any MLFeatureProvider
  ) throws -> [String: Answer] {
    let output: any MLFeatureProvider = try model.predictionFromZero(from: input)
    var answers: [String: Answer] = [:]
    for name in output.featureNames {
      guard let value = output.featureValue(for: name) else { continue }
      switch value.type {
      case .image:
        if let buffer = value.imageBufferValue { answers[name] = .picture(try Picture(buffer)) }
      case .multiArray:
        if let array = value.multiArrayValue {
          answers[name] = .numbers(NumberBlock(array).values.map { Float($0) })
        }
      case .double: answers[name] = .numbers([Float(value.doubleValue)])
      case .string where name == model.modelDescription.predictedFeatureName:
        answers[name] = .label(value.stringValue)
      case .int64 where name == model.modelDescription.predictedFeatureName:
        answers[name] = .label(String(value.int64Value))
      default: break
      }
    }
    return answers
  }

  /// Runs a compressed model on the samples.
  ///
  /// - Returns: How similar the outputs of the original and of the compressed model are, and the compressed model's
  ///   picture for the first sample.
  func run(_ model: URL) throws -> (result: Result, picture: Picture?) {
    let other = try MLModel(contentsOf: model, configuration: configuration)
    var (errors, structures, agreements): ([Double], [Double], [Double]) = ([], [], [])
    var first: Picture?
    for (sample, original) in zip(samples, originals) {
      let answers: [String: Answer] = try Self.answers(of: other, to: sample)
      for (name, before) in original {
        switch (before, answers[name]) {
        case (.picture(let before), .picture(let after)?):
          let nearness = try PictureSimilarity(of: after, to: before)
          errors.append(pow(10, -nearness.decibels / 10))
          structures.append(nearness.structure)
          first = first ?? after
        case (.numbers(let before), .numbers(let after)?) where before.count == after.count:
          errors.append(ValueDifference(before, after).decibels.map { pow(10, -$0 / 10) } ?? 0)
        case (.label(let before), .label(let after)?): agreements.append(before == after ? 1 : 0)
        default:
          throw CommandError(
            "The output '\(name)' of the compressed model has another type or shape than the"
              + " original's.")
        }
      }
    }
    func mean(_ values: [Double]) -> Double? {
      values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
    let error: Double? = mean(errors)
    let result = Result(
      decibels: error.flatMap { $0 > 0 ? -10 * log10($0) : nil }, structure: mean(structures),
      agreement: mean(agreements))
    return (result, first)
  }

  /// The picture that the original model computes for the first sample. Nil if the model has no picture as output.
  var picture: Picture? {
    originals.first?.sorted { $0.key < $1.key }.lazy.compactMap {
      if case .picture(let picture) = $0.value { picture } else { nil }
    }.first
  }
}
