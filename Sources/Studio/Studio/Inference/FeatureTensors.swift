import CoreGraphics
import CoreML
import CoreVideo
import Foundation
import Imaging
import Service

/// Converts tensors of the Open Inference Protocol to a model's inputs, and a model's outputs to tensors. The elements
/// of arrays keep their bits.
///
/// A dictionary, such as a classifier's probabilities, is two tensors: its numbers under the feature's name, and its
/// keys under the name with ``keysSuffix``.
enum FeatureTensors {
  /// The end of the name of the tensor with a dictionary's keys.
  static let keysSuffix = ".keys"

  // MARK: Inputs

  /// Converts the tensors of a request. Throws if an input is missing or unknown.
  static func inputs(
    _ tensors: [InferenceTensor], of description: MLModelDescription,
    decode: (Data) throws -> Picture
  ) throws -> [String: MLFeatureValue] {
    let features = description.inputDescriptionsByName
    var known = Set(features.keys)
    for (name, feature) in features where feature.type == .dictionary {
      known.insert(name + keysSuffix)
    }
    let given = Dictionary(tensors.map { ($0.name, $0) }) { $1 }
    if let stranger = tensors.first(where: { !known.contains($0.name) }) {
      throw HTTPError(
        400, "no_input",
        "The model has no input '\(stranger.name.prefix(60))'; it has"
          + " \(description.inputNames.joined(separator: ", ")).")
    }
    var values: [String: MLFeatureValue] = [:]
    for (name, feature) in features {
      guard let tensor = given[name] else {
        guard feature.isOptional else {
          throw HTTPError(400, "missing_input", "The input '\(name)' is missing.")
        }
        continue
      }
      values[name] = try value(tensor, keys: given[name + keysSuffix], for: feature, decode)
    }
    return values
  }

  private static func value(
    _ tensor: InferenceTensor, keys: InferenceTensor?, for feature: MLFeatureDescription,
    _ decode: (Data) throws -> Picture
  ) throws -> MLFeatureValue {
    func one<Value>(_ list: [Value]) throws -> Value {
      guard list.count == 1 else {
        throw wrong(tensor.name, "has \(list.count) elements, but the model takes one")
      }
      return list[0]
    }
    switch feature.type {
    case .multiArray: return MLFeatureValue(multiArray: try array(tensor))
    case .image: return try image(tensor, for: feature, decode)
    case .int64: return MLFeatureValue(int64: try one(integers(tensor)))
    case .double: return MLFeatureValue(double: try one(numbers(tensor)))
    case .string: return MLFeatureValue(string: try one(texts(tensor)))
    case .sequence:
      return MLFeatureValue(
        sequence: tensor.dataType == .bytes
          ? MLSequence(strings: try texts(tensor))
          : MLSequence(int64s: try integers(tensor).map { NSNumber(value: $0) }))
    case .dictionary:
      let values = try numbers(tensor).map { NSNumber(value: $0) }
      guard let keys else {
        throw wrong(
          tensor.name, "needs its keys: send BYTES or INT64 as '\(tensor.name + keysSuffix)'")
      }
      let names: [AnyHashable] =
        keys.dataType == .bytes ? try texts(keys) : try integers(keys).map { Int($0) }
      guard names.count == values.count else {
        throw wrong(tensor.name, "has \(values.count) numbers, but \(names.count) keys")
      }
      return try MLFeatureValue(dictionary: Dictionary(zip(names, values)) { $1 })
    default: throw wrong(tensor.name, "is for an input of a type that tensors cannot express")
    }
  }

  /// Returns an array with the tensor's elements. Types that Core ML lacks become int32, if every element fits.
  private static func array(_ tensor: InferenceTensor) throws -> MLMultiArray {
    guard !tensor.shape.isEmpty else { throw wrong(tensor.name, "needs at least one axis") }
    let shape = tensor.shape.map { NSNumber(value: $0) }
    guard let type = arrayType(of: tensor.dataType) else {
      let array = try MLMultiArray(shape: shape, dataType: .int32)
      let target = array.dataPointer.assumingMemoryBound(to: Int32.self)
      for (index, number) in try integers(tensor).enumerated() {
        guard let narrow = Int32(exactly: number) else {
          throw wrong(tensor.name, "has the element \(number), which does not fit into 32 bits")
        }
        target[index] = narrow
      }
      return array
    }
    let array = try MLMultiArray(shape: shape, dataType: type)
    // Safe: the tensor has exactly the bytes of its shape, and the array has the same shape and type.
    tensor.content.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { memcpy(array.dataPointer, start, bytes.count) }
    }
    return array
  }

  private static func arrayType(of type: InferenceTensor.DataType) -> MLMultiArrayDataType? {
    switch type {
    case .float16: .float16
    case .float32: .float32
    case .float64: .double
    case .int32: .int32
    case .int8: .int8
    default: nil
    }
  }

  /// Returns a picture from a picture's file, or from its pixels as an array.
  private static func image(
    _ tensor: InferenceTensor, for feature: MLFeatureDescription,
    _ decode: (Data) throws -> Picture
  ) throws -> MLFeatureValue {
    guard let constraint = feature.imageConstraint else {
      throw wrong(tensor.name, "is for a picture of unknown size")
    }
    let picture: Picture
    switch tensor.dataType {
    case .bytes:
      let files = try tensor.elements()
      guard files.count == 1 else {
        throw wrong(tensor.name, "has \(files.count) elements, but the model takes one picture")
      }
      picture = try decode(files[0])
    case .uint8: picture = try pixels(tensor)
    default:
      throw wrong(
        tensor.name,
        "must be a picture: BYTES (a JPEG or PNG file), or UINT8 of the shape [height, width, 3]")
    }
    let (width, height) = size(of: picture, constraint)
    try Picture.requireMemory(forInputOf: width, height: height)
    return MLFeatureValue(
      pixelBuffer: try picture.pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: width, height: height,
        mode: .scaleFill))
  }

  private static func pixels(_ tensor: InferenceTensor) throws -> Picture {
    let shape =
      tensor.shape.count == 4 && tensor.shape[0] == 1
      ? Array(tensor.shape.dropFirst()) : tensor.shape
    guard shape.count == 3, shape[2] == 3 else {
      throw wrong(
        tensor.name,
        "has the shape \(tensor.shape), but pixels have the shape [height, width, 3]")
    }
    return try Picture(width: shape[1], height: shape[0], pixels: Array(tensor.content))
  }

  /// Returns the size at which the model takes a picture: the picture's own, if the model allows that.
  private static func size(
    of picture: Picture, _ constraint: MLImageConstraint
  ) -> (width: Int, height: Int) {
    let sizes = constraint.sizeConstraint
    let isAllowed: Bool =
      switch sizes.type {
      case .range:
        sizes.pixelsWideRange.contains(picture.width)
          && sizes.pixelsHighRange.contains(picture.height)
      case .enumerated:
        sizes.enumeratedImageSizes.contains {
          $0.pixelsWide == picture.width && $0.pixelsHigh == picture.height
        }
      default: false
      }
    return isAllowed
      ? (picture.width, picture.height) : (constraint.pixelsWide, constraint.pixelsHigh)
  }

  private static func integers(_ tensor: InferenceTensor) throws -> [Int64] {
    func read<Value: FixedWidthInteger>(_: Value.Type) throws -> [Int64] {
      try elements(tensor, Value.self).map {
        guard let number = Int64(exactly: Value(littleEndian: $0)) else {
          throw wrong(tensor.name, "has the element \($0), which does not fit into 64 bits")
        }
        return number
      }
    }
    switch tensor.dataType {
    case .bool: return try read(UInt8.self).map { $0 == 0 ? 0 : 1 }
    case .uint8: return try read(UInt8.self)
    case .uint16: return try read(UInt16.self)
    case .uint32: return try read(UInt32.self)
    case .uint64: return try read(UInt64.self)
    case .int8: return try read(Int8.self)
    case .int16: return try read(Int16.self)
    case .int32: return try read(Int32.self)
    case .int64: return try read(Int64.self)
    case .float16, .float32, .float64, .bytes:
      throw wrong(
        tensor.name, "is \(tensor.dataType.rawValue), but the model takes integers")
    }
  }

  private static func numbers(_ tensor: InferenceTensor) throws -> [Double] {
    switch tensor.dataType {
    case .float16: return elements(tensor, UInt16.self).map { Double(Float16(bitPattern: $0)) }
    case .float32: return elements(tensor, Float.self).map { Double($0) }
    case .float64: return elements(tensor, Double.self)
    case .bytes: throw wrong(tensor.name, "is BYTES, but the model takes numbers")
    default: return try integers(tensor).map { Double($0) }
    }
  }

  private static func texts(_ tensor: InferenceTensor) throws -> [String] {
    guard tensor.dataType == .bytes else {
      throw wrong(tensor.name, "is \(tensor.dataType.rawValue), but the model takes texts (BYTES)")
    }
    return try tensor.elements().map {
      guard let text = String(validating: $0, as: UTF8.self) else {
        throw wrong(tensor.name, "has an element that is not UTF-8")
      }
      return text
    }
  }

  private static func elements<Element>(_ tensor: InferenceTensor, _: Element.Type) -> [Element] {
    let size = MemoryLayout<Element>.size
    return tensor.content.withUnsafeBytes { bytes in
      (0..<bytes.count / size).map {
        bytes.loadUnaligned(fromByteOffset: $0 * size, as: Element.self)
      }
    }
  }

  private static func wrong(_ name: String, _ what: String) -> HTTPError {
    HTTPError(400, "bad_tensor", "The tensor '\(name.prefix(60))' \(what).")
  }

  // MARK: Outputs

  /// Converts an output to one tensor, or a dictionary to two. Nil for an output without a value.
  ///
  /// - Parameters:
  ///   - labels: The model's class labels. A dictionary of all of them has their order.
  ///   - wantsPixels: Whether a picture becomes an array of pixels instead of a PNG file.
  static func outputs(
    _ value: MLFeatureValue, _ name: String, labels: [Any]?, wantsPixels: Bool
  ) throws -> [InferenceTensor] {
    func tensor(
      _ type: InferenceTensor.DataType, _ shape: [Int], _ content: Data
    ) throws -> InferenceTensor {
      try InferenceTensor(name: name, dataType: type, shape: shape, content: content)
    }
    switch value.type {
    case .int64: return [try tensor(.int64, [1], bytes([value.int64Value]))]
    case .double: return [try tensor(.float64, [1], bytes([value.doubleValue]))]
    case .string: return [try .bytes(name, shape: [1], [Data(value.stringValue.utf8)])]
    case .multiArray:
      guard let array = value.multiArrayValue else { return [] }
      return [try tensor(dataType(of: array.dataType), array.shape.map(\.intValue), content(array))]
    case .image:
      guard let buffer = value.imageBufferValue else { return [] }
      let picture = try Picture(buffer)
      guard wantsPixels else {
        return [try .bytes(name, shape: [1], [picture.encoded(as: .png)])]
      }
      return [
        try tensor(
          .uint8, [picture.height, picture.width, 3], picture.withPixels { Data(buffer: $0) })
      ]
    case .sequence:
      guard let sequence = value.sequenceValue else { return [] }
      guard sequence.type == .string else {
        let numbers = sequence.int64Values.map(\.int64Value)
        return [try tensor(.int64, [numbers.count], bytes(numbers))]
      }
      let texts = sequence.stringValues.map { Data($0.utf8) }
      return [try .bytes(name, shape: [texts.count], texts)]
    case .dictionary:
      let numbers = value.dictionaryValue
      let keys = keys(of: numbers, labels)
      let values = try tensor(
        .float64, [keys.count], bytes(keys.map { numbers[$0]?.doubleValue ?? 0 }))
      let integers = keys.compactMap { ($0.base as? Int).map(Int64.init) ?? $0.base as? Int64 }
      let named =
        integers.count == keys.count
        ? try InferenceTensor(
          name: name + keysSuffix, dataType: .int64, shape: [keys.count], content: bytes(integers))
        : try .bytes(
          name + keysSuffix, shape: [keys.count], keys.map { Data("\($0.base)".utf8) })
      return [values, named]
    default: return []
    }
  }

  /// Returns a dictionary's keys in the order of the labels, or else sorted.
  private static func keys(of numbers: [AnyHashable: NSNumber], _ labels: [Any]?) -> [AnyHashable] {
    let ordered = (labels ?? []).compactMap { label -> AnyHashable? in
      (label as? String).map { AnyHashable($0) }
        ?? (label as? NSNumber).map { AnyHashable($0.intValue) }
    }
    if ordered.count == numbers.count, ordered.allSatisfy({ numbers[$0] != nil }) { return ordered }
    return numbers.keys.sorted {
      if let left = $0.base as? Int, let right = $1.base as? Int { return left < right }
      return "\($0.base)" < "\($1.base)"
    }
  }

  private static func content(_ array: MLMultiArray) throws -> Data {
    let size = (array.dataType.rawValue & 0xFFFF) / 8
    var dense = array
    var step = 1
    for axis in array.shape.indices.reversed() {
      if array.shape[axis].intValue != 1, array.strides[axis].intValue != step {
        dense = try MLMultiArray(shape: array.shape, dataType: array.dataType)
        array.transfer(to: dense)
        break
      }
      step *= array.shape[axis].intValue
    }
    // Safe: `dense` has `count` elements without gaps.
    return withExtendedLifetime(dense) { Data(bytes: dense.dataPointer, count: dense.count * size) }
  }

  private static func bytes<Number: BitwiseCopyable>(_ numbers: [Number]) -> Data {
    numbers.withUnsafeBytes { Data($0) }
  }

  static func dataType(of type: MLMultiArrayDataType) -> InferenceTensor.DataType {
    switch type {
    case .float16: .float16
    case .float32: .float32
    case .double: .float64
    case .int32: .int32
    case .int8: .int8
    }
  }
}
