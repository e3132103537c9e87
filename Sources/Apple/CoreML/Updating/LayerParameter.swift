import Foundation
import ModelFormat

/// A trainable parameter of a layer. This is either the layer's weights or its biases.
enum LayerParameter: Sendable, CaseIterable {
  case weights
  case biases

  /// Makes the parameter for a key. Returns nil if the key names neither weights nor biases.
  init?(_ key: MLParameterKey) {
    switch key.name {
    case MLParameterKey.weights.name: self = .weights
    case MLParameterKey.biases.name: self = .biases
    default: return nil
    }
  }

  /// Returns the key of this parameter for a layer.
  func key(layer: String) -> MLParameterKey {
    switch self {
    case .weights: .weights.scoped(to: layer)
    case .biases: .biases.scoped(to: layer)
    }
  }
}

extension MLParameterKey {
  /// Whether the key names weights or biases.
  var isLayerParameter: Bool { LayerParameter(self) != nil }
}

extension Spec.NeuralNetworkLayer {
  /// Returns the weights or biases of a convolution or an inner product. Returns nil for a layer of another type, and
  /// for the biases of a layer without biases.
  func values(of part: LayerParameter) -> Spec.WeightParams? {
    switch (layer, part) {
    case (.innerProduct(let product)?, .weights): product.weights ?? Spec.WeightParams()
    case (.innerProduct(let product)?, .biases): product.hasBias ? product.bias : nil
    case (.convolution(let convolution)?, .weights): convolution.weights ?? Spec.WeightParams()
    case (.convolution(let convolution)?, .biases): convolution.hasBias ? convolution.bias : nil
    default: nil
    }
  }

  /// Returns the shape that the weights or biases have in the file. The first axis of weights is the output channels.
  /// For a deconvolution, the first axis is the input channels. A length that does not fit an `Int` becomes 0, and then
  /// no weights match the shape.
  func shape(of part: LayerParameter) -> [Int] {
    let extents: [UInt64]
    switch (layer, part) {
    case (.innerProduct(let product)?, .weights):
      extents = [product.outputChannels, product.inputChannels]
    case (.innerProduct(let product)?, .biases): extents = [product.outputChannels]
    case (.convolution(let convolution)?, .weights):
      let kernel: [UInt64] = convolution.kernelSize.isEmpty ? [3, 3] : convolution.kernelSize
      let groups: UInt64 = max(1, convolution.nGroups)
      extents =
        convolution.isDeconvolution
        ? [convolution.kernelChannels, convolution.outputChannels / groups] + kernel
        : [convolution.outputChannels, convolution.kernelChannels] + kernel
    case (.convolution(let convolution)?, .biases): extents = [convolution.outputChannels]
    default: extents = []
    }
    return extents.map { Int(exactly: $0) ?? 0 }
  }

  /// Returns the weights or biases as float32.
  func floats(of part: LayerParameter) throws -> [Float]? {
    guard let stored = values(of: part) else { return nil }
    let shape: [Int] = shape(of: part)
    return try stored.decodedFloats(
      count: checkedElementCount(of: shape) ?? 0, name: "Layer '\(name)'",
      field: part == .weights ? "weights" : "biases", shape: shape)
  }

  /// Throws if ``store(_:as:)`` cannot write the storage type that the weights or biases have.
  func checkStorable(_ part: LayerParameter) throws {
    switch values(of: part)?.storage {
    case .float32?, .float16?, .empty?, nil: break
    case .quantized?, .int8?, .contradictory?:
      throw MLModelError(
        .update,
        "Layer '\(name)' has quantised weights, which cannot be set or trained. Use a model with "
          + "float32 or float16 weights.")
    }
  }

  /// Replaces the weights or biases and keeps their storage type. Call ``checkStorable(_:)`` first.
  mutating func store(_ floats: [Float], as part: LayerParameter) {
    guard var stored = values(of: part) else { return }
    switch stored.storage {
    case .float16:
      stored.float16Value = Spec.WeightParams(float16: floats).float16Value
    default: stored.floatValue = FloatValues(floats)
    }
    switch layer {
    case .innerProduct(var product)?:
      if part == .weights { product.weights = stored } else { product.bias = stored }
      layer = .innerProduct(product)
    case .convolution(var convolution)?:
      if part == .weights { convolution.weights = stored } else { convolution.bias = stored }
      layer = .convolution(convolution)
    default: break
    }
  }

  /// Returns whether the file marks the weights or biases as updatable.
  func isUpdatable(_ part: LayerParameter) -> Bool {
    isUpdatable && values(of: part)?.isUpdatable == true
  }
}
