import CAtelierHeader
import CoreML
import CoreVideo
import Foundation

/// The caller's values as a feature provider. Arrays and images use the caller's memory, which is valid only during the
/// call. This object must therefore not outlive the call.
final class Inputs: MLFeatureProvider {
  private var values: [String: MLFeatureValue] = [:]
  /// The values as the caller gave them.
  private let callers: UnsafeBufferPointer<atelier_feature>

  init(_ features: UnsafePointer<atelier_feature>?, count: Int64) throws {
    let count: Int = try length(count, "input_count")
    callers = UnsafeBufferPointer(start: features, count: features == nil ? 0 : count)
    for index in 0..<count {
      // Safe: the caller promises `count` values.
      let feature: atelier_feature = try nonNull(features, "inputs")[index]
      let name = String(cString: try nonNull(feature.name, "The name of input \(index)"))
      if Int(feature.kind) == ATELIER_UNDEFINED { continue }
      guard values.updateValue(try value(of: feature, name), forKey: name) == nil else {
        throw CallError("The input \"\(name)\" was given twice.")
      }
    }
  }

  var featureNames: Set<String> { Set(values.keys) }

  func featureValue(for featureName: String) -> MLFeatureValue? { values[featureName] }

  /// Returns an output that stays valid after the call: a copy, if the model passed on an array of the caller.
  func owned(_ output: MLFeatureValue) throws -> MLFeatureValue {
    guard let array = output.multiArrayValue else { return output }
    let start = UnsafeRawPointer(array.dataPointer)
    guard callers.contains(where: { $0.holds(start) }) else { return output }
    return MLFeatureValue(multiArray: try array.duplicate())
  }
}

extension atelier_feature {
  /// Returns whether an address is that of an element of this array, or lies between two elements.
  fileprivate func holds(_ address: UnsafeRawPointer) -> Bool {
    guard Int(kind) == ATELIER_ARRAY, let data, address >= data else { return false }
    guard let type = MLMultiArrayDataType(rawValue: Int(self.type)) else { return false }
    var last: Int64 = 0
    var dense = Int64(type.byteCount)
    for axis in (0..<Int(count)).reversed() {
      guard let length = shape?[axis], length > 0 else { return false }
      if let strides {
        last += (length - 1) * strides[axis]
      } else {
        last += (length - 1) * dense
        dense *= length
      }
    }
    return address - data <= Int(last)
  }
}

private func value(of feature: atelier_feature, _ name: String) throws -> MLFeatureValue {
  switch Int(feature.kind) {
  case ATELIER_INT64: return MLFeatureValue(int64: feature.integer)
  case ATELIER_DOUBLE: return MLFeatureValue(double: feature.number)
  case ATELIER_STRING:
    let start = try nonNull(feature.text, "The text of \"\(name)\"")
    let count: Int = try length(feature.count, "The length of \"\(name)\"")
    return MLFeatureValue(string: text(start, count: count == 0 ? nil : count))
  case ATELIER_IMAGE: return try image(of: feature, name)
  case ATELIER_ARRAY: return MLFeatureValue(multiArray: try array(of: feature, name))
  case ATELIER_DICTIONARY: return try dictionary(of: feature, name)
  case ATELIER_SEQUENCE: return try sequence(of: feature, name)
  default:
    throw CallError(
      "The kind of the input \"\(name)\" is \(feature.kind), expected ATELIER_INT64 (1) to "
        + "ATELIER_SEQUENCE (7).")
  }
}

/// Returns the string in `count` bytes. If `count` is nil, the string ends before the first zero byte.
private func text(_ start: UnsafePointer<CChar>, count: Int?) -> String {
  guard let count else { return String(cString: start) }
  // Safe: the caller promises `count` bytes.
  return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}

private func image(of feature: atelier_feature, _ name: String) throws -> MLFeatureValue {
  let (format, bytesPerPixel): (OSType, Int)
  switch Int(feature.type) {
  case ATELIER_BGRA: (format, bytesPerPixel) = (kCVPixelFormatType_32BGRA, 4)
  case ATELIER_RGBA: (format, bytesPerPixel) = (kCVPixelFormatType_32RGBA, 4)
  case ATELIER_RGB: (format, bytesPerPixel) = (kCVPixelFormatType_24RGB, 3)
  case ATELIER_BGR: (format, bytesPerPixel) = (kCVPixelFormatType_24BGR, 3)
  case ATELIER_GRAY: (format, bytesPerPixel) = (kCVPixelFormatType_OneComponent8, 1)
  case ATELIER_GRAY_FLOAT16: (format, bytesPerPixel) = (kCVPixelFormatType_OneComponent16Half, 2)
  default:
    throw CallError(
      "The pixels of the image \"\(name)\" have the type \(feature.type), expected ATELIER_BGRA (1) "
        + "to ATELIER_GRAY_FLOAT16 (6).")
  }
  let rows = UnsafeMutableRawPointer(mutating: try nonNull(feature.data, "The image \"\(name)\""))
  let (width, height) = (Int(feature.width), Int(feature.height))
  let rowLength: Int =
    feature.bytes_per_row == 0
    ? width.multipliedReportingOverflow(by: bytesPerPixel).partialValue
    : Int(feature.bytes_per_row)
  var buffer: CVPixelBuffer?
  // Safe: the caller promises that the rows are valid during the call, and the framework only reads them.
  CVPixelBufferCreateWithBytes(
    nil, width, height, format, rows, rowLength, nil, nil, nil, &buffer)
  guard let buffer else {
    throw CallError(
      "The image \"\(name)\" of \(width) × \(height) pixels in rows of \(rowLength) bytes is not valid: "
        + "a size is out of range, or the rows are too short.")
  }
  return MLFeatureValue(pixelBuffer: buffer)
}

private func dictionary(of feature: atelier_feature, _ name: String) throws -> MLFeatureValue {
  let count: Int = try length(feature.count, "The count of \"\(name)\"")
  var values: [AnyHashable: NSNumber] = [:]
  if count > 0 {
    let numbers = try nonNull(feature.data, "The data of \"\(name)\"").assumingMemoryBound(
      to: Double.self)
    switch try keys(of: feature, count, name) {
    case .integers(let keys):
      for (index, key) in keys.enumerated() {
        values[Int(key)] = NSNumber(value: numbers[index])
      }
    case .texts(let keys):
      for (index, key) in keys.enumerated() { values[key] = NSNumber(value: numbers[index]) }
    }
  }
  return try MLFeatureValue(dictionary: values)
}

private func sequence(of feature: atelier_feature, _ name: String) throws -> MLFeatureValue {
  let count: Int = try length(feature.count, "The count of \"\(name)\"")
  switch try keys(of: feature, count, name) {
  case .integers(let values):
    return MLFeatureValue(sequence: MLSequence(int64s: values.map { NSNumber(value: $0) }))
  case .texts(let values): return MLFeatureValue(sequence: MLSequence(strings: values))
  }
}

private enum Keys {
  case integers([Int64])
  case texts([String])
}

private func keys(of feature: atelier_feature, _ count: Int, _ name: String) throws -> Keys {
  let isInteger: Bool = Int(feature.type) == ATELIER_INT64
  guard isInteger || Int(feature.type) == ATELIER_STRING else {
    throw CallError(
      "The keys of \"\(name)\" have the type \(feature.type), expected ATELIER_INT64 (1) or "
        + "ATELIER_STRING (3).")
  }
  if count == 0 { return isInteger ? .integers([]) : .texts([]) }
  let start: UnsafeRawPointer = try nonNull(feature.keys, "The keys of \"\(name)\"")
  // Safe: the caller promises `count` keys of the stated type.
  if isInteger {
    let integers = start.assumingMemoryBound(to: Int64.self)
    return .integers(Array(UnsafeBufferPointer(start: integers, count: count)))
  }
  let texts = start.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
  return .texts(
    try (0..<count).map { (index: Int) -> String in
      let length: Int? = try feature.shape.map {
        try CAtelier.length($0[index], "The length of key \(index) of \"\(name)\"")
      }
      return text(try nonNull(texts[index], "Key \(index) of \"\(name)\""), count: length)
    })
}
