import Foundation
import ModelFormat

extension Spec.Model {
  /// Puts the weights and biases that a configuration gives into the layers that they are scoped to.
  ///
  /// - Throws: ``MLModelError`` for layers that the model does not have, and for arrays of another
  ///   number of elements.
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

  /// The weights or biases of a layer as float32; nil where the key names no such.
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
  /// The layer that a key is scoped to and that has what it names.
  fileprivate func position(of key: MLParameterKey) -> Int? {
    guard let part = LayerParameter(key), let scope = key.scope else { return nil }
    return firstIndex { $0.name == scope && $0.values(of: part) != nil }
  }

  fileprivate func missing(_ key: MLParameterKey) -> String {
    let word: String = key.name
    guard let scope = key.scope else {
      return "The parameter '\(word)' needs a layer: MLParameterKey.\(word).scoped(to: \"layer\")."
    }
    let names: [String] = filter { layer in
      LayerParameter(key).flatMap { layer.values(of: $0) } != nil
    }.map { "'\($0.name)'" }
    return "The model has no layer '\(scope)' with \(word); "
      + (names.isEmpty ? "no layer has any." : "there are \(names.joined(separator: ", ")).")
  }
}
