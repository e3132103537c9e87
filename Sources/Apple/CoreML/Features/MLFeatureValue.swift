import CoreVideo
import Foundation
import Imaging

/// The value of a feature: a number, a string, an image, a multi-array, a dictionary or a sequence.
///
/// The initialiser determines the type of the value. The properties for all other types return 0, an empty string, an
/// empty dictionary or nil.
open class MLFeatureValue: NSObject {
  enum Content {
    case undefined
    case int64(Int64)
    case double(Double)
    case string(String)
    case image(CVPixelBuffer)
    case multiArray(MLMultiArray)
    case dictionary([AnyHashable: NSNumber])
    case probabilities(ProbabilityTable)
    case sequence(MLSequence)
  }

  let content: Content

  /// The type of the value.
  public let type: MLFeatureType

  init(_ content: Content, type: MLFeatureType) {
    self.content = content
    self.type = type
  }

  /// Makes a value from an integer.
  public convenience init(int64 value: Int64) { self.init(.int64(value), type: .int64) }

  /// Makes a value from a number.
  public convenience init(double value: Double) { self.init(.double(value), type: .double) }

  /// Makes a value from a string.
  public convenience init(string value: String) { self.init(.string(value), type: .string) }

  /// Makes a value from a multi-array. The value refers to the array and does not copy it.
  public convenience init(multiArray value: MLMultiArray) {
    self.init(.multiArray(value), type: .multiArray)
  }

  /// Makes a value from a pixel buffer. The value refers to the buffer and does not copy it.
  public convenience init(pixelBuffer value: CVPixelBuffer) {
    self.init(.image(value), type: .image)
  }

  /// Makes a value from a sequence.
  public convenience init(sequence: MLSequence) {
    self.init(.sequence(sequence), type: .sequence)
  }

  /// Makes a value from a copy of a shaped array.
  public convenience init<Scalar: MLShapedArrayScalar>(shapedArray: MLShapedArray<Scalar>) {
    self.init(multiArray: MLMultiArray(shapedArray))
  }

  /// Makes a value from a dictionary of numbers.
  ///
  /// - Throws: ``MLModelError`` if the keys are neither all strings nor all integers.
  public convenience init(dictionary value: [AnyHashable: NSNumber]) throws {
    let allStrings: Bool = value.keys.allSatisfy { $0.base is String }
    guard allStrings || value.keys.allSatisfy({ integerKey($0) != nil }) else {
      throw MLModelError(
        .featureType,
        "The keys of a dictionary feature must be all strings or all integers, but they are "
          + "\(value.keys.map { "\($0)" }.sorted().prefix(5)).")
    }
    self.init(.dictionary(value), type: .dictionary)
  }

  /// Makes an undefined value, for an optional feature that the caller leaves out.
  public convenience init(undefined type: MLFeatureType) { self.init(.undefined, type: type) }

  /// Whether the value is undefined.
  public var isUndefined: Bool {
    if case .undefined = content { return true }
    return false
  }

  /// The integer; 0 for a value of another type.
  public var int64Value: Int64 {
    if case .int64(let value) = content { return value }
    return 0
  }

  /// The number; 0 for a value of another type.
  public var doubleValue: Double {
    if case .double(let value) = content { return value }
    return 0
  }

  /// The string; empty for a value of another type.
  public var stringValue: String {
    if case .string(let value) = content { return value }
    return ""
  }

  /// The image; nil for a value of another type.
  public var imageBufferValue: CVPixelBuffer? {
    if case .image(let value) = content { return value }
    return nil
  }

  /// The multi-array; nil for a value of another type.
  public var multiArrayValue: MLMultiArray? {
    if case .multiArray(let value) = content { return value }
    return nil
  }

  /// The dictionary; empty for a value of another type.
  public var dictionaryValue: [AnyHashable: NSNumber] {
    switch content {
    case .dictionary(let value): value
    case .probabilities(let table): table.dictionary
    default: [:]
    }
  }

  /// The sequence; nil for a value of another type.
  public var sequenceValue: MLSequence? {
    if case .sequence(let value) = content { return value }
    return nil
  }

  /// Returns a copy of the array if the elements have the type `type`. Returns nil otherwise.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(
    of type: Scalar.Type
  ) -> MLShapedArray<Scalar>? {
    guard let array = multiArrayValue, array.dataType == Scalar.multiArrayDataType else {
      return nil
    }
    return MLShapedArray(array)
  }

  /// Returns whether this value and `value` have the same type and equal contents. Compares images pixel by pixel.
  public func isEqual(to value: MLFeatureValue) -> Bool {
    guard type == value.type else { return false }
    switch (content, value.content) {
    case (.undefined, .undefined): return true
    case (.int64(let left), .int64(let right)): return left == right
    case (.double(let left), .double(let right)): return left == right
    case (.string(let left), .string(let right)): return left == right
    case (.image(let left), .image(let right)): return haveSamePixels(left, right)
    case (.multiArray(let left), .multiArray(let right)): return left.equals(right)
    case (.sequence(let left), .sequence(let right)):
      return left.isEqual(right as Any?)
    default:
      let areDictionaries: Bool = type == .dictionary && !isUndefined && !value.isUndefined
      return areDictionaries && dictionaryValue == value.dictionaryValue
    }
  }

  /// Returns whether the object is a feature value of the same type with equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLFeatureValue else { return false }
    return other === self || isEqual(to: other)
  }

  /// A hash of the type.
  override open var hash: Int { type.rawValue }

  /// The type and the value.
  override open var description: String {
    switch content {
    case .undefined: "\(type) : undefined"
    case .int64(let value): "Int64 : \(value)"
    case .double(let value): "Double : \(value)"
    case .string(let value): "String : \(value)"
    case .image(let buffer): "Image : \(buffer)"
    case .multiArray(let array): "MultiArray : \(array)"
    case .dictionary, .probabilities: "Dictionary : \(dictionaryValue)"
    case .sequence(let sequence): "Sequence : \(sequence)"
    }
  }
}

/// Returns a dictionary's key as an integer, or nil if the key is not an integer.
func integerKey(_ key: AnyHashable) -> Int64? {
  switch key.base {
  case let value as Int: Int64(value)
  case let value as Int64: value
  case let value as Int32: Int64(value)
  case let value as NSNumber: value.int64Value
  default: nil
  }
}

private func haveSamePixels(_ left: CVPixelBuffer, _ right: CVPixelBuffer) -> Bool {
  if left === right { return true }
  guard CVPixelBufferGetWidth(left) == CVPixelBufferGetWidth(right),
    CVPixelBufferGetHeight(left) == CVPixelBufferGetHeight(right),
    CVPixelBufferGetPixelFormatType(left) == CVPixelBufferGetPixelFormatType(right),
    let leftPicture = try? Picture(left), let rightPicture = try? Picture(right)
  else { return false }
  return leftPicture == rightPicture
}
