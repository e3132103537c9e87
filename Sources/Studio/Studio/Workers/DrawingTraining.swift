import CoreML
import Foundation
import Imaging
import Service

/// Teaches updatable models drawings, as an app would, and asks them.
enum Lesson {
  /// Whether a model learns labels from pictures.
  static func canLearn(_ file: URL) throws -> Bool {
    let description = try MLModel(contentsOf: file).modelDescription
    let inputs = description.trainingInputDescriptionsByName.values
    return description.isUpdatable && inputs.contains { $0.type == .image }
      && inputs.contains { $0.type == .string }
  }

  /// Teaches a model's file examples with `MLUpdateTask`, and writes what it has become.
  static func learn(
    _ examples: [(drawing: Data, label: String)], from file: URL, into target: URL
  ) throws {
    let description = try MLModel(contentsOf: file).modelDescription
    let inputs = description.trainingInputDescriptionsByName.values
    guard let drawing = inputs.first(where: { $0.type == .image }),
      let label = inputs.first(where: { $0.type == .string })
    else { throw HTTPError(422, "not_updatable", "The model does not learn labels from pictures.") }
    let batch = MLArrayBatchProvider(
      array: try examples.map { example in
        try MLDictionaryFeatureProvider(dictionary: [
          drawing.name: try value(example.drawing, drawing),
          label.name: MLFeatureValue(string: example.label),
        ])
      })
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let task = try MLUpdateTask(
      forModelAt: file, trainingData: batch, configuration: nil,
      completionHandler: { context in
        outcome.error = context.task.error
        outcome.model = context.model
        done.signal()
      })
    task.resume()
    done.wait()
    if let error = outcome.error { throw error }
    guard let writable = outcome.model as? any MLModel & MLWritable else {
      throw HTTPError(500, "failed", "The taught model cannot be written.")
    }
    try writable.write(to: target)
  }

  /// What a drawing is taken for.
  static func recognize(_ drawing: Data, by model: MLModel) throws -> DrawingClass.Answer {
    let description = model.modelDescription
    guard
      let input = description.inputDescriptionsByName.values.first(where: { $0.type == .image }),
      let label = description.predictedFeatureName
    else { throw HTTPError(422, "model", "The model gives no label for a picture.") }
    let result = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [input.name: try value(drawing, input)]))
    var probabilities: [String: Double] = [:]
    if let name = description.predictedProbabilitiesName {
      for (key, value) in result.featureValue(for: name)?.dictionaryValue ?? [:] {
        probabilities["\(key.base)"] = value.doubleValue
      }
    }
    return DrawingClass.Answer(
      label: result.featureValue(for: label)?.stringValue ?? "", probabilities: probabilities)
  }

  /// Decodes a drawing.
  static func decoded(_ drawing: Data) throws -> Picture {
    let header = try Picture.probe(data: drawing, name: "the drawing")
    guard header.width <= 4096, header.height <= 4096 else {
      throw HTTPError(413, "too_many_pixels", "A drawing has at most 4096 × 4096 pixels.")
    }
    return try Picture(data: drawing, name: "the drawing", pixelLimit: 1 << 24).withoutAlpha
  }

  private static func value(
    _ drawing: Data, _ feature: MLFeatureDescription
  ) throws -> MLFeatureValue {
    guard let constraint = feature.imageConstraint else {
      throw HTTPError(422, "model", "The model takes no picture.")
    }
    return MLFeatureValue(
      pixelBuffer: try decoded(drawing).pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: constraint.pixelsWide,
        height: constraint.pixelsHigh, mode: .scaleFill))
  }

  /// What the update's queue leaves for the thread that waits.
  ///
  /// `@unchecked Sendable`: written before the semaphore is signalled, read after it.
  private final class Outcome: @unchecked Sendable {
    var model: MLModel?
    var error: (any Error)?
  }
}
