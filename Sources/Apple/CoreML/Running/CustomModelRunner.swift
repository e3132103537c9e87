import Foundation
import ModelFormat

/// Runs a custom model: a model that an app implements as a Swift class.
final class CustomModelRunner: ModelRunner {
  private let models: UserObjectPool<any MLCustomModel>

  init(_ custom: Spec.CustomModel, description: MLModelDescription) throws {
    guard let type = MLCustomLayerRegistry.modelType(named: custom.className) else {
      throw MLModelError(
        .customModel,
        "Error creating Core ML custom model implementation from factory for model "
          + "\"\(custom.className)\".")
    }
    models = try UserObjectPool {
      do {
        return try type.init(
          modelDescription: description, parameters: custom.parameters.mapValues(\.object))
      } catch {
        throw MLModelError(
          .customModel,
          "The custom model class \(custom.className) refused the model's parameters: "
            + "\(error.localizedDescription)",
          cause: error)
      }
    }
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let output: any MLFeatureProvider = try models.use { model in
      try model.prediction(from: input, options: call.options ?? MLPredictionOptions())
    }
    var values: [String: MLFeatureValue] = [:]
    for name in output.featureNames { values[name] = output.featureValue(for: name) }
    return values
  }
}

extension Spec.CustomModel.CustomModelParamValue {
  /// The parameter in the type in which Apple's framework passes it to a custom model.
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
