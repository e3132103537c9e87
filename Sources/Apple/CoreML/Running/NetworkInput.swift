import CoreVideo
import Engine
import Foundation
import Imaging

/// An input of a neural network. Checks a value, computes the shape of the network's tensor, and writes the value into
/// the tensor.
struct NetworkInput: Sendable {
  let name: String
  private let description: MLFeatureDescription
  private let feature: NetworkInterface.Feature
  private let declaredType: TensorType
  /// The number of axes of the declared shape; 0 if the model declares no shape.
  private let declaredRank: Int
  /// Whether the input takes sizes that the description does not allow.
  private let allowsAnySize: Bool
  /// The value of every element of an optional input that the caller leaves out.
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

  /// Checks the input's value and converts it to the declared type. Returns nil if the input is optional and the caller
  /// leaves it out.
  func value(in provider: any MLFeatureProvider) throws -> MLFeatureValue? {
    guard let value = provider.featureValue(for: name) else {
      if description.isOptional { return nil }
      throw MLModelError(
        .featureType,
        "The input feature \"\(name)\" is required but the input does not have it; "
          + "\(provider.featureSummary).")
    }
    let fits: Bool = allowsAnySize || isSequence(value)
    if let problem = description.problem(with: value, allowsAnySize: fits) {
      throw MLModelError(.featureType, problem)
    }
    return value.isUndefined ? nil : value.asDeclared(by: description)
  }

  /// Returns whether a value is a sequence of arrays of the declared shape. The declared shape of such an input is
  /// `[C, H, W]` or `[C]`, and the shape of a sequence is `[sequence, batch, C, H, W]`. Networks of early specification
  /// versions take such sequences.
  private func isSequence(_ value: MLFeatureValue) -> Bool {
    guard feature.takesSequences, case .multiArray(let array) = value.content,
      case .array(let declared) = feature.kind, !declared.isEmpty, array.layout.shape.count == 5,
      array.layout.shape[0] > 0, array.layout.shape[1] > 0
    else { return false }
    let step: [Int] = Array(array.layout.shape.dropFirst(2))
    return step == declared || step == declared + [1, 1]
  }

  /// Returns the type of the network's tensor for a value.
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

  /// Returns the type of the network's tensor for an image of the given size. If the input is not an image, returns the
  /// declared type.
  func tensorType(pictures size: PictureSize?) -> TensorType {
    guard let size, case .image = feature.kind else { return declaredType }
    return TensorType(feature.shape(width: size.width, height: size.height), feature.element)
  }

  /// Returns the array's shape. If the array has more axes than the model declares and the additional leading axes have
  /// length 1, the result does not contain the additional axes.
  private func extents(of array: MLMultiArray) -> [Int] {
    let shape: [Int] = array.layout.shape
    let extra: Int = shape.count - declaredRank
    guard declaredRank > 0, extra > 0, shape.prefix(extra).allSatisfy({ $0 == 1 }) else {
      return shape
    }
    return Array(shape.dropFirst(extra))
  }

  /// Writes a value into the network's tensor.
  func write(_ value: MLFeatureValue?, to port: PortTensor) throws {
    try write(value, to: port.memory, as: port.form, image: port.image)
  }

  /// Returns the elements of the network's tensor for a value, in row-major order.
  func floats(
    of value: MLFeatureValue?, _ shape: Shape, image: Graph.ImagePort?
  ) throws -> [Float] {
    var floats: [Float] = Array(repeating: 0, count: shape.count)
    try floats.withUnsafeMutableBytes { bytes in
      // Safe: the memory has space for `shape.count` float32 elements, the size of a dense tensor of this shape.
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
        preconditionFailure("The plan is not for an image.")
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
