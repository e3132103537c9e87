import CoreML
import CoreVideo
import Foundation

/// Makes observations from a model's outputs. The class of the observations depends on the model's description.
struct ObservationMaker {
  private let description: MLModelDescription
  private let boxes: BoxMapping

  /// - Parameter boxes: Maps the boxes of a detector to the image.
  init(_ description: MLModelDescription, boxes: BoxMapping) {
    self.description = description
    self.boxes = boxes
  }

  func observations(in output: any MLFeatureProvider) -> [VNObservation] {
    if let objects = recognizedObjects(in: output) { return objects }
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

  /// Returns the objects that a detector found, the most confident first, as in the detector's output. Drops rows that
  /// only pad the output to a declared number of rows. Returns nil if the model is no detector.
  private func recognizedObjects(in output: any MLFeatureProvider) -> [VNObservation]? {
    guard let detector = description.detector,
      let confidences = output.featureValue(for: detector.confidences)?.multiArrayValue,
      let coordinates = output.featureValue(for: detector.coordinates)?.multiArrayValue,
      let width = confidences.shape.last?.intValue, width > 0
    else { return nil }
    let scores: [Float] = MLShapedArray<Float>(converting: confidences).scalars
    let numbers: [Float] = MLShapedArray<Float>(converting: coordinates).scalars
    let names: [String] = (description.classLabels ?? []).map { "\($0)" }
    return (0..<min(scores.count / width, numbers.count / 4)).compactMap { row in
      let box: [CGFloat] = numbers[4 * row..<4 * row + 4].map { CGFloat($0) }
      let row: ArraySlice<Float> = scores[width * row..<width * (row + 1)]
      guard row.contains(where: { $0 > 0 }) else { return nil }
      let labels: [VNClassificationObservation] = row.enumerated()
        .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
        .map { index, score in
          VNClassificationObservation(
            identifier: names.indices.contains(index) ? names[index] : "\(index)", confidence: score
          )
        }
      return VNRecognizedObjectObservation(
        boundingBox: boxes.normalizedRect(
          ofModelBox: CGRect(
            x: box[0] - box[2] / 2, y: box[1] - box[3] / 2, width: box[2], height: box[3])),
        confidence: labels[0].confidence, labels: labels)
    }
  }

  /// Returns the classes with their confidences, the most confident first. Returns nil if the model is not a
  /// classifier.
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
