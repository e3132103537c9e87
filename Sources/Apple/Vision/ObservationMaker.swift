import CoreML
import CoreVideo
import Foundation

/// Makes observations of a model's output, of the kind that fits the model's description.
struct ObservationMaker {
  private let description: MLModelDescription

  init(_ description: MLModelDescription) {
    self.description = description
  }

  func observations(in output: any MLFeatureProvider) -> [VNObservation] {
    if let classes = classifications(in: output) { return classes }
    let values: [(name: String, value: MLFeatureValue)] = description.outputNames.compactMap {
      name in output.featureValue(for: name).map { (name, $0) }
    }
    let pictures: [VNObservation] = values.compactMap { name, value in
      value.imageBufferValue.map { VNPixelBufferObservation(pixelBuffer: $0, featureName: name) }
    }
    if !pictures.isEmpty { return pictures }
    return values.map { name, value in
      VNCoreMLFeatureValueObservation(featureValue: value, featureName: name)
    }
  }

  /// The classes, the surest first; nil when the model is no classifier.
  private func classifications(in output: any MLFeatureProvider) -> [VNObservation]? {
    guard let labelName = description.predictedFeatureName,
      let label = output.featureValue(for: labelName),
      label.type == .string || (label.type == .int64 && description.classLabels != nil)
    else { return nil }
    if let name = description.predictedProbabilitiesName,
      let probabilities = output.featureValue(for: name)
    {
      let classes: [VNClassificationObservation] = entries(of: probabilities)
      if !classes.isEmpty {
        return classes.sorted { (left, right) -> Bool in
          if left.confidence != right.confidence { return left.confidence > right.confidence }
          return left.identifier < right.identifier
        }
      }
    }
    let text: String = label.type == .string ? label.stringValue : String(label.int64Value)
    return [VNClassificationObservation(identifier: text, confidence: 1)]
  }

  private func entries(of value: MLFeatureValue) -> [VNClassificationObservation] {
    if let table = value.probabilityTable {
      return table.entries.map { entry in
        VNClassificationObservation(
          identifier: entry.label, confidence: Float(entry.probability))
      }
    }
    var classes: [VNClassificationObservation] = []
    for (key, number) in value.dictionaryValue {
      classes.append(
        VNClassificationObservation(
          identifier: String(describing: key.base), confidence: number.floatValue))
    }
    return classes
  }
}
