import CoreVideo
import Engine
import Foundation
import Imaging

/// An input of a neural network: how its value is checked, what shape it gives the network's tensor
/// and how it is written there.
struct NetworkInput: Sendable {
  let name: String
  private let description: MLFeatureDescription
  private let feature: NetworkInterface.Feature
  private let declaredType: TensorType
  private let declaredRank: Int
  private let allowsAnySize: Bool
  /// What the tensor holds when the value of an optional input is left out.
  private let valueWhenMissing: Double

  init(
    _ feature: NetworkInterface.Feature, declaredType: TensorType,
    description: MLFeatureDescription, valueWhenMissing: Double, allowsAnySize: Bool
  ) {
    name = feature.name
    self.feature = feature
    self.description = description
    self.declaredType = declaredType
    self.valueWhenMissing = valueWhenMissing
    self.allowsAnySize = allowsAnySize
    if case .array(let extents) = feature.kind {
      declaredRank = extents.count
    } else {
      declaredRank = 0
    }
  }

  /// The checked value, as declared; nil when an optional one is left out.
  func value(in provider: any MLFeatureProvider) throws -> MLFeatureValue? {
    guard let value = provider.featureValue(for: name) else {
      if description.isOptional { return nil }
      throw MLModelError(
        .featureType,
        "The input feature \"\(name)\" is required but the input does not have it; "
          + "\(provider.wordsOnItsFeatures).")
    }
    let fits: Bool = allowsAnySize || isSequence(value)
    if let problem = description.problem(with: value, allowsAnySize: fits) {
      throw MLModelError(.featureType, problem)
    }
    return value.isUndefined ? nil : value.asDeclared(by: description)
  }

  /// Whether a value is a sequence of what the model declares: `[sequence, batch, C, H, W]` for
  /// `[C, H, W]` or `[C]`, as networks of early versions take them.
  private func isSequence(_ value: MLFeatureValue) -> Bool {
    guard feature.takesSequences, case .multiArray(let array) = value.content,
      case .array(let declared) = feature.kind, !declared.isEmpty, array.layout.shape.count == 5,
      array.layout.shape[0] > 0, array.layout.shape[1] > 0
    else { return false }
    let step: [Int] = Array(array.layout.shape.dropFirst(2))
    return step == declared || step == declared + [1, 1]
  }

  /// The type of the network's tensor for a value.
  func tensorType(for value: MLFeatureValue?) throws -> TensorType {
    switch value?.content {
    case .image(let buffer)?:
      return TensorType(
        feature.shape(
          width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer)),
        feature.element)
    case .multiArray(let array)?:
      return TensorType(try feature.shape(ofArray: extents(of: array)), feature.element)
    default:
      return declaredType
    }
  }

  /// The type of the network's tensor where pictures have a size, and all else is as declared.
  func tensorType(pictures size: PictureSize?) -> TensorType {
    guard let size, case .image = feature.kind else { return declaredType }
    return TensorType(feature.shape(width: size.width, height: size.height), feature.element)
  }

  /// The array's shape without axes of length 1 in front that the model does not declare.
  private func extents(of array: MLMultiArray) -> [Int] {
    let shape: [Int] = array.layout.shape
    let extra: Int = shape.count - declaredRank
    guard declaredRank > 0, extra > 0, shape.prefix(extra).allSatisfy({ $0 == 1 }) else {
      return shape
    }
    return Array(shape.dropFirst(extra))
  }

  /// Writes a value into the network's tensor.
  func write(_ value: MLFeatureValue?, to port: BorderTensor) throws {
    try write(value, to: port.memory, as: port.form, image: port.image)
  }

  /// The value as the network's tensor would hold it, in row-major order.
  func floats(
    of value: MLFeatureValue?, _ shape: Shape, image: Graph.ImagePort?
  ) throws -> [Float] {
    var floats: [Float] = Array(repeating: 0, count: shape.count)
    try floats.withUnsafeMutableBytes { bytes in
      // Safe: the memory holds as many float32 as the dense tensor.
      guard let memory = bytes.baseAddress else { return }
      try write(value, to: memory, as: TensorDescriptor(shape), image: image)
    }
    return floats
  }

  private func write(
    _ value: MLFeatureValue?, to memory: UnsafeMutableRawPointer, as form: TensorDescriptor,
    image: Graph.ImagePort?
  ) throws {
    switch value?.content {
    case .image(let buffer)?:
      guard let image else {
        preconditionFailure("The plan of an image input knows no image.")
      }
      try PixelTransfer.read(buffer, through: image, into: memory, as: form, name: name)
    case .multiArray(let array)?:
      TensorTransfer.read(array, into: memory, as: form)
    case .int64(let number)?:
      if let range = form.storage.integerRange, !range.contains(number) {
        throw MLModelError(
          .featureType,
          "The input feature \"\(name)\" is \(number), but the network computes it as \(form.storage); "
            + "expected \(range.lowerBound) to \(range.upperBound).")
      }
      TensorTransfer.fill(Double(number), into: memory, as: form)
    case .double(let number)?:
      TensorTransfer.fill(number, into: memory, as: form)
    default:
      TensorTransfer.fill(valueWhenMissing, into: memory, as: form)
    }
  }
}
