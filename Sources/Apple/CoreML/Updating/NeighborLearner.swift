import ClassicalModels
import Foundation
import ModelFormat

/// Updates a nearest-neighbours classifier. The update has one epoch, which appends the training examples to the
/// classifier's examples. If the configuration sets the number of neighbours, the update stores this number in the
/// model.
final class NeighborLearner: Learner {
  private(set) var specification: Spec.Model
  private var classifier: Spec.KNearestNeighborsClassifier
  private let inputs: ClassicalInputs
  private let labelName: String

  /// Checks that the classifier is valid.
  init(_ model: Spec.Model, _ classifier: Spec.KNearestNeighborsClassifier) throws {
    specification = model
    self.classifier = classifier
    let description = MLModelDescription(unnamed: model)
    inputs = try ClassicalInputs(description)
    guard let name = description.predictedFeatureName ?? description.outputNames.first else {
      throw MLModelError(.io, "The nearest-neighbours classifier has no output for its label.")
    }
    labelName = name
    _ = try translatingErrors { try NearestNeighbors(classifier) }
  }

  func learn(from examples: TrainingExamples, reporting progress: any LearningProgress) throws {
    var learned: [NearestNeighbors.Example] = []
    learned.reserveCapacity(examples.count)
    for index in 0..<examples.count {
      learned.append(try examples.read(index, example(of:)))
      try progress.report([], [:])
    }
    try translatingErrors { try classifier.learn(learned) }
    if let count = try progress.parameters.integer(.numberOfNeighbors) {
      classifier.numberOfNeighbors?.defaultValue = count
    }
    specification.type = .kNearestNeighborsClassifier(classifier)
    try progress.report(.epochEnd, [.epochIndex: 0])
  }

  private func example(of features: any MLFeatureProvider) throws -> NearestNeighbors.Example {
    let values: [Double] = try inputs.numbers(in: features)
    let label: MLFeatureValue = try TrainingExamples.value(labelName, of: features)
    switch label.type {
    case .string:
      return .init(values: values.map { Float($0) }, label: .string(label.stringValue))
    case .int64:
      return .init(values: values.map { Float($0) }, label: .integer(label.int64Value))
    default:
      throw MLModelError(
        .featureType,
        "The label \"\(labelName)\" is \(label.type.sentenceName); expected a string or an int64.")
    }
  }
}
