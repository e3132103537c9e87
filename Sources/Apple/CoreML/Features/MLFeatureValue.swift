import CoreVideo
import Foundation
import Imaging

/// The value of one feature: a number, a text, a picture, an array, a dictionary or a sequence.
///
/// Which one is fixed when the value is made. Asking for another kind gives 0, an empty text,
/// an empty dictionary or nil.
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

  /// What kind of value this is.
  public let type: MLFeatureType

  init(_ content: Content, type: MLFeatureType) {
    self.content = content
    self.type = type
  }

  /// Makes a value of a whole number.
  public convenience init(int64 value: Int64) { self.init(.int64(value), type: .int64) }

  /// Makes a value of a number.
  public convenience init(double value: Double) { self.init(.double(value), type: .double) }

  /// Makes a value of a text.
  public convenience init(string value: String) { self.init(.string(value), type: .string) }

  /// Makes a value of an array. The array is shared, not copied.
  public convenience init(multiArray value: MLMultiArray) {
    self.init(.multiArray(value), type: .multiArray)
  }

  /// Makes a value of a picture. The buffer is shared, not copied.
  public convenience init(pixelBuffer value: CVPixelBuffer) {
    self.init(.image(value), type: .image)
  }

  /// Makes a value of a list.
  public convenience init(sequence: MLSequence) {
    self.init(.sequence(sequence), type: .sequence)
  }

  /// Makes a value of an array, copied.
  public convenience init<Scalar: MLShapedArrayScalar>(shapedArray: MLShapedArray<Scalar>) {
    self.init(multiArray: MLMultiArray(shapedArray))
  }

  /// Makes a value of numbers by key.
  ///
  /// - Throws: ``MLModelError`` unless all keys are texts or all are whole numbers.
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

  /// Makes the missing value of an optional feature of the given kind.
  public convenience init(undefined type: MLFeatureType) { self.init(.undefined, type: type) }

  /// True for a value that was made as missing.
  public var isUndefined: Bool {
    if case .undefined = content { return true }
    return false
  }

  /// The whole number, or 0.
  public var int64Value: Int64 {
    if case .int64(let value) = content { return value }
    return 0
  }

  /// The number, or 0.
  public var doubleValue: Double {
    if case .double(let value) = content { return value }
    return 0
  }

  /// The text, or an empty one.
  public var stringValue: String {
    if case .string(let value) = content { return value }
    return ""
  }

  /// The picture, or nil.
  public var imageBufferValue: CVPixelBuffer? {
    if case .image(let value) = content { return value }
    return nil
  }

  /// The array, or nil.
  public var multiArrayValue: MLMultiArray? {
    if case .multiArray(let value) = content { return value }
    return nil
  }

  /// The numbers by key, or an empty dictionary.
  public var dictionaryValue: [AnyHashable: NSNumber] {
    switch content {
    case .dictionary(let value): value
    case .probabilities(let table): table.dictionary
    default: [:]
    }
  }

  /// The list, or nil.
  public var sequenceValue: MLSequence? {
    if case .sequence(let value) = content { return value }
    return nil
  }

  /// A copy of the array when its elements are of `type`; nil otherwise.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(
    of type: Scalar.Type
  ) -> MLShapedArray<Scalar>? {
    guard let array = multiArrayValue, array.dataType == Scalar.multiArrayDataType else {
      return nil
    }
    return MLShapedArray(array)
  }

  /// True when kind and value are the same; pictures are compared pixel by pixel.
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

  /// True for a feature value of the same kind and value.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLFeatureValue else { return false }
    return other === self || isEqual(to: other)
  }

  /// A hash that equal values share.
  override open var hash: Int { type.rawValue }

  /// The kind and the value.
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

/// The whole number that a dictionary's key is, or nil.
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
