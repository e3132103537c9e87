import Foundation

/// The value of a feature that can be passed between threads. The value may have any type of feature except image.
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

  /// The type of the value.
  public let type: MLFeatureType

  private init(_ content: Content, _ type: MLFeatureType) {
    self.content = content
    self.type = type
  }

  /// Makes a value from an integer.
  public init(_ value: Int) { self.init(.integer(value), .int64) }

  /// Makes a value from an integer.
  public init(_ value: Int32) { self.init(.integer(Int(value)), .int64) }

  /// Makes a value from a number.
  public init(_ value: Double) { self.init(.double(value), .double) }

  /// Makes a value from a number.
  public init(_ value: Float) { self.init(.float(value), .double) }

  /// Makes a value from a number.
  public init(_ value: Float16) { self.init(.float16(value), .double) }

  /// Makes a value from a string.
  public init(_ value: String) { self.init(.string(value), .string) }

  /// Makes a value from a sequence of strings.
  public init(_ value: [String]) { self.init(.strings(value), .sequence) }

  /// Makes a value from a dictionary with string keys.
  public init(_ value: [String: Double]) { self.init(.stringDictionary(value), .dictionary) }

  /// Makes a value from a dictionary with string keys.
  public init(_ value: [String: Int]) {
    self.init(.stringDictionary(value.mapValues { Double($0) }), .dictionary)
  }

  /// Makes a value from a dictionary with integer keys.
  public init(_ value: [Int: Double]) { self.init(.integerDictionary(value), .dictionary) }

  /// Makes a value from a dictionary with integer keys.
  public init(_ value: [Int: Int]) {
    self.init(.integerDictionary(value.mapValues { Double($0) }), .dictionary)
  }

  /// Makes a value from a shaped array.
  public init<Scalar: MLShapedArrayScalar>(_ value: MLShapedArray<Scalar>) {
    switch Scalar.multiArrayDataType {
    case .double: self.init(.doubleArray(MLShapedArray(converting: value)), .multiArray)
    case .float32: self.init(.floatArray(MLShapedArray(converting: value)), .multiArray)
    case .float16: self.init(.float16Array(MLShapedArray(converting: value)), .multiArray)
    case .int32: self.init(.int32Array(MLShapedArray(converting: value)), .multiArray)
    case .int8: self.init(.int8Array(MLShapedArray(converting: value)), .multiArray)
    }
  }

  /// Makes an undefined value, for an optional feature that the caller leaves out.
  public init(undefined type: MLFeatureType) { self.init(.undefined, type) }

  /// Makes a copy of a feature value. Returns nil for an image.
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
      var byString: [String: Double] = [:]
      var byInteger: [Int: Double] = [:]
      for (key, number) in value.dictionaryValue {
        if let text = key.base as? String {
          byString[text] = number.doubleValue
        } else if let integer = integerKey(key) {
          byInteger[Int(integer)] = number.doubleValue
        }
      }
      if byInteger.isEmpty { self.init(byString) } else { self.init(byInteger) }
    case .sequence(let sequence):
      if sequence.type == .string {
        self.init(sequence.stringValues)
      } else {
        self.init(.integers(sequence.int64Values.map { $0.intValue }), .sequence)
      }
    }
  }

  /// Whether the value is undefined.
  public var isUndefined: Bool {
    if case .undefined = content { return true }
    return false
  }

  /// Whether the value is a number or a string.
  public var isScalar: Bool {
    switch content {
    case .integer, .float16, .float, .double, .string: true
    default: false
    }
  }

  /// Whether the value is an array.
  public var isShapedArray: Bool { type == .multiArray && !isUndefined }

  /// The integer; nil for a value of another type.
  public var integerValue: Int? {
    if case .integer(let value) = content { return value }
    return nil
  }

  /// The number as a `Double`; nil for a value of another type.
  public var doubleValue: Double? {
    switch content {
    case .double(let value): value
    case .float(let value): Double(value)
    case .float16(let value): Double(value)
    default: nil
    }
  }

  /// The number as a `Float`; nil for a value of another type.
  public var floatValue: Float? { doubleValue.map { Float($0) } }

  /// The number as a `Float16`; nil for a value of another type.
  public var float16Value: Float16? { doubleValue.map { Float16($0) } }

  /// The string; nil for a value of another type.
  public var stringValue: String? {
    if case .string(let value) = content { return value }
    return nil
  }

  /// The sequence of strings; nil for a value of another type.
  public var stringArrayValue: [String]? {
    if case .strings(let value) = content { return value }
    return nil
  }

  /// The dictionary with string keys; nil for a value of another type.
  public var stringDictionaryValue: [String: Double]? {
    if case .stringDictionary(let value) = content { return value }
    return nil
  }

  /// The dictionary with integer keys; nil for a value of another type.
  public var integerDictionaryValue: [Int: Double]? {
    if case .integerDictionary(let value) = content { return value }
    return nil
  }

  /// Returns the array if the elements have the type `type`. Returns nil otherwise.
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

  /// A copy of the value as an ``MLFeatureValue``.
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
  /// Makes a feature value from a sendable feature value.
  public convenience init(_ value: MLSendableFeatureValue) {
    let source: MLFeatureValue = value.featureValue
    self.init(source.content, type: source.type)
  }
}
