import CoreML
import Foundation
import Imaging
import Service

/// Updates models with labelled drawings, and classifies drawings. Uses only the public interface of Core ML.
enum DrawingTraining {
  /// Returns whether a model can learn labels from pictures.
  static func canLearn(_ file: URL) throws -> Bool {
    let description = try MLModel(contentsOf: file).modelDescription
    let inputs = description.trainingInputDescriptionsByName.values
    return description.isUpdatable && inputs.contains { $0.type == .image }
      && inputs.contains { $0.type == .string }
  }

  /// Updates a model file with examples through `MLUpdateTask`, and writes the updated model.
  static func learn(
    _ examples: [(drawing: Data, label: String)], from file: URL, into target: URL
  ) throws {
    let description = try MLModel(contentsOf: file).modelDescription
    let inputs = description.trainingInputDescriptionsByName.values
    guard let drawing = inputs.first(where: { $0.type == .image }),
      let label = inputs.first(where: { $0.type == .string })
    else { throw HTTPError(422, "not_updatable", "The model cannot learn labels from pictures.") }
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
      throw HTTPError(500, "failed", "The updated model cannot be written.")
    }
    try writable.write(to: target)
  }

  /// Classifies a drawing.
  static func recognize(_ drawing: Data, by model: MLModel) throws -> DrawingService.Answer {
    let description = model.modelDescription
    guard
      let input = description.inputDescriptionsByName.values.first(where: { $0.type == .image }),
      let label = description.predictedFeatureName
    else { throw HTTPError(422, "model", "The model has no label as output for a picture.") }
    let result = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [input.name: try value(drawing, input)]))
    var probabilities: [String: Double] = [:]
    if let name = description.predictedProbabilitiesName {
      for (key, value) in result.featureValue(for: name)?.dictionaryValue ?? [:] {
        probabilities["\(key.base)"] = value.doubleValue
      }
    }
    return DrawingService.Answer(
      label: result.featureValue(for: label)?.stringValue ?? "", probabilities: probabilities)
  }

  /// Decodes the picture file of a drawing. Throws if it has too many pixels.
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
      throw HTTPError(422, "model", "The model has no picture as input.")
    }
    return MLFeatureValue(
      pixelBuffer: try decoded(drawing).pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: constraint.pixelsWide,
        height: constraint.pixelsHigh, mode: .scaleFill))
  }

  /// Passes the result of an update from the task's queue to the waiting thread.
  ///
  /// `@unchecked Sendable`: the result is written before the semaphore is signalled, and read after the signal.
  private final class Outcome: @unchecked Sendable {
    var model: MLModel?
    var error: (any Error)?
  }
}
