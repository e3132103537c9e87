import Foundation
import ModelFormat

extension Spec.Model {
  /// Replaces weights and biases of layers with the arrays that a configuration sets.
  ///
  /// - Throws: ``MLModelError`` for a layer that the model does not have, and for an array that does not have as many
  ///   elements as the layer's weights or biases.
  mutating func override(with parameters: [MLParameterKey: Any]) throws {
    let scoped = parameters.filter { $0.key.isLayerParameter }
    guard !scoped.isEmpty else { return }
    try changeTrainable { model in
      try model.changeLayers { layers in
        for (key, value) in scoped { try Spec.Model.override(key, with: value, in: &layers) }
      }
    }
  }

  private static func override(
    _ key: MLParameterKey, with value: Any, in layers: inout [Spec.NeuralNetworkLayer]
  ) throws {
    guard let part = LayerParameter(key), let index = layers.position(of: key) else {
      throw MLModelError(.parameters, layers.missing(key))
    }
    let shape: [Int] = layers[index].shape(of: part)
    guard let array = value as? MLMultiArray else {
      throw MLModelError(
        .parameters,
        "The parameter '\(key)' is a \(Swift.type(of: value)); expected an MLMultiArray.")
    }
    guard array.count == checkedElementCount(of: shape) else {
      throw MLModelError(
        .parameters,
        "The parameter '\(key)' has \(array.count) elements (\(sentence(array.layout.shape))), but the "
          + "layer has \(sentence(shape)).")
    }
    try layers[index].checkStorable(part)
    layers[index].store(array.numbers.map { Float($0) }, as: part)
  }

  /// Returns the weights or biases that a key names, as float32. Returns nil if the key names neither weights nor
  /// biases.
  func layerParameter(_ key: MLParameterKey) throws -> MLMultiArray? {
    let layers: [Spec.NeuralNetworkLayer] = trainable.networkLayers
    guard let part = LayerParameter(key) else { return nil }
    guard let index = layers.position(of: key), let floats = try layers[index].floats(of: part)
    else { throw MLModelError(.parameters, layers.missing(key)) }
    return try MLMultiArray(
      numbers: floats.map { Double($0) }, shape: layers[index].shape(of: part), dataType: .float32)
  }
}

extension [Spec.NeuralNetworkLayer] {
  /// Returns the index of the layer to which a key belongs. Returns nil if no layer of that name has the key's
  /// parameter.
  fileprivate func position(of key: MLParameterKey) -> Int? {
    guard let part = LayerParameter(key), let scope = key.scope else { return nil }
    return firstIndex { $0.name == scope && $0.values(of: part) != nil }
  }

  fileprivate func missing(_ key: MLParameterKey) -> String {
    let name: String = key.name
    guard let scope = key.scope else {
      return "The parameter '\(name)' needs a layer: MLParameterKey.\(name).scoped(to: \"layer\")."
    }
    let names: [String] = filter { layer in
      LayerParameter(key).flatMap { layer.values(of: $0) } != nil
    }.map { "'\($0.name)'" }
    return "The model has no layer '\(scope)' with \(name); "
      + (names.isEmpty ? "no layer has any." : "there are \(names.joined(separator: ", ")).")
  }
}
