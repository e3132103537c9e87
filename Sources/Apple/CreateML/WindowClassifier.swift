import CoreML
import Foundation
import ModelTools

/// A model that classifies the windows of a sequence, such as those of a sound. The probabilities of a sequence are the
/// means of those of its windows.
struct WindowClassifier {
  /// The model.
  let model: MLModel
  /// The name of the model's input for a window.
  let input: String
  /// The name of the model's output with the probabilities.
  let output: String

  /// Returns the most probable label of a sequence, and the probabilities of all labels.
  func answer(to windows: [MLFeatureValue]) throws -> (
    label: String, probabilities: [String: Double]
  ) {
    var sums: [String: Double] = [:]
    for window in windows {
      let features = try creating {
        try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [input: window]))
      }
      for (key, number) in features.featureValue(for: output)?.dictionaryValue ?? [:] {
        sums["\(key.base)", default: 0] += number.doubleValue / Double(windows.count)
      }
    }
    let best = sums.max { ($0.value, $1.key) < ($1.value, $0.key) }
    return (best?.key ?? "", sums)
  }

  /// Compares the answers for labelled sequences with their labels.
  ///
  /// - Parameters:
  ///   - labels: The order of the labels in tables.
  ///   - source: Returns the name of a sequence in tables.
  func metrics<Sequence>(
    on examples: [String: [Sequence]], labels: [String], source: (Sequence) -> String,
    windows: (Sequence) throws -> [MLFeatureValue]
  ) -> MLClassifierMetrics {
    do {
      var answers: [ClassifierEvaluation.Answer] = []
      for (label, sequences) in examples.sorted(by: { $0.key < $1.key }) {
        for sequence in sequences {
          let (guess, probabilities) = try answer(to: windows(sequence))
          answers.append(
            ClassifierEvaluation.Answer(
              source: source(sequence), truth: label, guess: guess, probabilities: probabilities))
        }
      }
      return MLClassifierMetrics(ClassifierEvaluation(answers, order: labels))
    } catch {
      return MLClassifierMetrics(error: error)
    }
  }
}
