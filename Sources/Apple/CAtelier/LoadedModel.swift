import CoreML
import Foundation

/// The content of an `atelier_model`: a model, and the names of its outputs as C strings.
///
/// `@unchecked Sendable`: the model is sendable, and the strings are written only in the initialiser.
final class LoadedModel: @unchecked Sendable {
  let model: MLModel
  private let outputNames: [String]
  private let outputTexts: [UnsafeMutablePointer<CChar>?]

  init(_ model: MLModel) {
    self.model = model
    outputNames = model.modelDescription.outputNames
    outputTexts = outputNames.map { strdup($0) }
  }

  deinit {
    for text in outputTexts { free(text) }
  }

  func predict(_ inputs: Inputs, using state: MLState? = nil) throws -> Results {
    let outputs: any MLFeatureProvider =
      if let state, !state.stateNames.isEmpty {
        try model.prediction(from: inputs, using: state)
      } else {
        try model.prediction(from: inputs)
      }
    let results = Results(of: self, capacity: outputNames.count)
    for (name, text) in zip(outputNames, outputTexts) {
      guard let value = outputs.featureValue(for: name) else { continue }
      results.append(value, name: UnsafePointer(text))
    }
    return results
  }
}
