import Foundation

/// The value of a feature that may cross from one thread to another: all kinds but pictures.
public struct MLSendableFeatureValue: Sendable {
  private enum Content: Sendable {
    case undefined
    case integer(Int)
    case float16(Float16)
    case float(Float)
    case double(Double)
    case string(String)
    case strings([String])
    case integers([Int])
    case stringDictionary([String: Double])
    case integerDictionary([Int: Double])
    case doubleArray(MLShapedArray<Double>)
    case floatArray(MLShapedArray<Float>)
    case float16Array(MLShapedArray<Float16>)
    case int32Array(MLShapedArray<Int32>)
    case int8Array(MLShapedArray<Int8>)
  }

  private let content: Content

  /// What kind of value this is.
  public let type: MLFeatureType

  private init(_ content: Content, _ type: MLFeatureType) {
    self.content = content
    self.type = type
  }

  /// Makes a value of a whole number.
  public init(_ value: Int) { self.init(.integer(value), .int64) }

  /// Makes a value of a whole number.
  public init(_ value: Int32) { self.init(.integer(Int(value)), .int64) }

  /// Makes a value of a number.
  public init(_ value: Double) { self.init(.double(value), .double) }

  /// Makes a value of a number.
  public init(_ value: Float) { self.init(.float(value), .double) }

  /// Makes a value of a number.
  public init(_ value: Float16) { self.init(.float16(value), .double) }

  /// Makes a value of a text.
  public init(_ value: String) { self.init(.string(value), .string) }

  /// Makes a value of a list of texts.
  public init(_ value: [String]) { self.init(.strings(value), .sequence) }

  /// Makes a value of numbers by text.
  public init(_ value: [String: Double]) { self.init(.stringDictionary(value), .dictionary) }

  /// Makes a value of numbers by text.
  public init(_ value: [String: Int]) {
    self.init(.stringDictionary(value.mapValues { Double($0) }), .dictionary)
  }

  /// Makes a value of numbers by whole number.
  public init(_ value: [Int: Double]) { self.init(.integerDictionary(value), .dictionary) }

  /// Makes a value of numbers by whole number.
  public init(_ value: [Int: Int]) {
    self.init(.integerDictionary(value.mapValues { Double($0) }), .dictionary)
  }

  /// Makes a value of an array.
  public init<Scalar: MLShapedArrayScalar>(_ value: MLShapedArray<Scalar>) {
    switch Scalar.multiArrayDataType {
    case .double: self.init(.doubleArray(MLShapedArray(converting: value)), .multiArray)
    case .float32: self.init(.floatArray(MLShapedArray(converting: value)), .multiArray)
    case .float16: self.init(.float16Array(MLShapedArray(converting: value)), .multiArray)
    case .int32: self.init(.int32Array(MLShapedArray(converting: value)), .multiArray)
    case .int8: self.init(.int8Array(MLShapedArray(converting: value)), .multiArray)
    }
  }

  /// Makes the missing value of an optional feature of the given kind.
  public init(undefined type: MLFeatureType) { self.init(.undefined, type) }

  /// Makes a copy of a feature value; nil for a picture.
  public init?(_ value: MLFeatureValue) {
    switch value.content {
    case .undefined: self.init(undefined: value.type)
    case .int64(let number): self.init(Int(number))
    case .double(let number): self.init(number)
    case .string(let text): self.init(text)
    case .image: return nil
    case .multiArray(let array):
      switch array.dataType {
      case .double: self.init(MLShapedArray<Double>(array))
      case .float32: self.init(MLShapedArray<Float>(array))
      case .float16: self.init(MLShapedArray<Float16>(array))
      case .int32: self.init(MLShapedArray<Int32>(array))
      case .int8: self.init(MLShapedArray<Int8>(array))
      }
    case .dictionary, .probabilities:
      var byText: [String: Double] = [:]
      var byNumber: [Int: Double] = [:]
      for (key, number) in value.dictionaryValue {
        if let text = key.base as? String {
          byText[text] = number.doubleValue
        } else if let integer = integerKey(key) {
          byNumber[Int(integer)] = number.doubleValue
        }
      }
      if byNumber.isEmpty { self.init(byText) } else { self.init(byNumber) }
    case .sequence(let sequence):
      if sequence.type == .string {
        self.init(sequence.stringValues)
      } else {
        self.init(.integers(sequence.int64Values.map { $0.intValue }), .sequence)
      }
    }
  }

  /// True for a value that was made as missing.
  public var isUndefined: Bool {
    if case .undefined = content { return true }
    return false
  }

  /// True for one number or one text.
  public var isScalar: Bool {
    switch content {
    case .integer, .float16, .float, .double, .string: true
    default: false
    }
  }

  /// True for an array.
  public var isShapedArray: Bool { type == .multiArray && !isUndefined }

  /// The whole number, or nil.
  public var integerValue: Int? {
    if case .integer(let value) = content { return value }
    return nil
  }

  /// The number as a double, or nil.
  public var doubleValue: Double? {
    switch content {
    case .double(let value): value
    case .float(let value): Double(value)
    case .float16(let value): Double(value)
    default: nil
    }
  }

  /// The number as a float, or nil.
  public var floatValue: Float? { doubleValue.map { Float($0) } }

  /// The number as a half float, or nil.
  public var float16Value: Float16? { doubleValue.map { Float16($0) } }

  /// The text, or nil.
  public var stringValue: String? {
    if case .string(let value) = content { return value }
    return nil
  }

  /// The list of texts, or nil.
  public var stringArrayValue: [String]? {
    if case .strings(let value) = content { return value }
    return nil
  }

  /// The numbers by text, or nil.
  public var stringDictionaryValue: [String: Double]? {
    if case .stringDictionary(let value) = content { return value }
    return nil
  }

  /// The numbers by whole number, or nil.
  public var integerDictionaryValue: [Int: Double]? {
    if case .integerDictionary(let value) = content { return value }
    return nil
  }

  /// The array when its elements are of `type`; nil otherwise.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(
    of type: Scalar.Type
  ) -> MLShapedArray<Scalar>? {
    switch content {
    case .doubleArray(let array): array as? MLShapedArray<Scalar>
    case .floatArray(let array): array as? MLShapedArray<Scalar>
    case .float16Array(let array): array as? MLShapedArray<Scalar>
    case .int32Array(let array): array as? MLShapedArray<Scalar>
    case .int8Array(let array): array as? MLShapedArray<Scalar>
    default: nil
    }
  }

  /// The value as a feature value of its own.
  var featureValue: MLFeatureValue {
    switch content {
    case .undefined: MLFeatureValue(undefined: type)
    case .integer(let value): MLFeatureValue(int64: Int64(value))
    case .float16(let value): MLFeatureValue(double: Double(value))
    case .float(let value): MLFeatureValue(double: Double(value))
    case .double(let value): MLFeatureValue(double: value)
    case .string(let value): MLFeatureValue(string: value)
    case .strings(let values): MLFeatureValue(sequence: MLSequence(strings: values))
    case .integers(let values):
      MLFeatureValue(sequence: MLSequence(int64s: values.map { NSNumber(value: $0) }))
    case .stringDictionary(let values):
      MLFeatureValue(.dictionary(Self.boxed(values)), type: .dictionary)
    case .integerDictionary(let values):
      MLFeatureValue(.dictionary(Self.boxed(values)), type: .dictionary)
    case .doubleArray(let array): MLFeatureValue(shapedArray: array)
    case .floatArray(let array): MLFeatureValue(shapedArray: array)
    case .float16Array(let array): MLFeatureValue(shapedArray: array)
    case .int32Array(let array): MLFeatureValue(shapedArray: array)
    case .int8Array(let array): MLFeatureValue(shapedArray: array)
    }
  }

  private static func boxed<Key: Hashable>(_ values: [Key: Double]) -> [AnyHashable: NSNumber] {
    var boxed: [AnyHashable: NSNumber] = [:]
    for (key, value) in values { boxed[AnyHashable(key)] = NSNumber(value: value) }
    return boxed
  }
}

extension MLFeatureValue {
  /// Makes a feature value of a sendable one.
  public convenience init(_ value: MLSendableFeatureValue) {
    let source: MLFeatureValue = value.featureValue
    self.init(source.content, type: source.type)
  }
}
