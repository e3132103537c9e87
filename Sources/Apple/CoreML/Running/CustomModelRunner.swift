import Foundation
import ModelFormat

/// Computes a model whose code is a Swift class.
///
/// `@unchecked Sendable`: the user's object is touched under the lock only.
final class CustomModelRunner: ModelRunner, @unchecked Sendable {
  private let model: any MLCustomModel
  private let turn = NSLock()

  init(_ custom: Spec.CustomModel, description: MLModelDescription) throws {
    guard let type = MLCustomLayerRegistry.modelType(named: custom.className) else {
      throw MLModelError(
        .customModel,
        "Error creating Core ML custom model implementation from factory for model "
          + "\"\(custom.className)\".")
    }
    do {
      model = try type.init(
        modelDescription: description, parameters: custom.parameters.mapValues(\.object))
    } catch {
      throw MLModelError(
        .customModel,
        "The custom model class \(custom.className) refused the model's parameters: "
          + "\(error.localizedDescription)",
        cause: error)
    }
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    turn.lock()
    defer { turn.unlock() }
    let output: any MLFeatureProvider = try model.prediction(
      from: input, options: call.options ?? MLPredictionOptions())
    var values: [String: MLFeatureValue] = [:]
    for name in output.featureNames { values[name] = output.featureValue(for: name) }
    return values
  }
}

extension Spec.CustomModel.CustomModelParamValue {
  /// The parameter as Apple hands it over.
  fileprivate var object: Any {
    switch value {
    case .doubleValue(let value)?: NSNumber(value: value)
    case .stringValue(let value)?: value
    case .intValue(let value)?: NSNumber(value: value)
    case .longValue(let value)?: NSNumber(value: value)
    case .boolValue(let value)?: NSNumber(value: value)
    case .bytesValue(let value)?: Data(value.array())
    case nil: NSNull()
    }
  }
}
