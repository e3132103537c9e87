import CoreML
import Foundation

/// The content of an `atelier_model`.
///
/// `@unchecked Sendable`: the model is sendable.
final class LoadedModel: @unchecked Sendable {
  let model: MLModel
  private let names: OutputNames

  init(_ model: MLModel) {
    self.model = model
    names = OutputNames(model.modelDescription.outputNames)
  }

  func predict(_ inputs: Inputs, using state: MLState? = nil) throws -> Results {
    let outputs: any MLFeatureProvider =
      if let state, !state.stateNames.isEmpty {
        try model.prediction(from: inputs, using: state)
      } else {
        try model.prediction(from: inputs)
      }
    let results = Results(named: names, capacity: names.names.count)
    for (name, text) in zip(names.names, names.texts) {
      guard let value = outputs.featureValue(for: name) else { continue }
      results.append(try inputs.owned(value), name: UnsafePointer(text))
    }
    return results
  }
}

/// The names of a model's outputs, also as C strings.
///
/// `@unchecked Sendable`: the strings are written only in the initialiser.
final class OutputNames: @unchecked Sendable {
  let names: [String]
  let texts: [UnsafeMutablePointer<CChar>?]

  init(_ names: [String]) {
    self.names = names
    texts = names.map { strdup($0) }
  }

  deinit {
    for text in texts { free(text) }
  }
}
