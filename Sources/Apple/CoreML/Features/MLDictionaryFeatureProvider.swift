import CoreVideo
import Foundation

/// A feature provider with its values in a dictionary.
open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider {
  /// The values by name.
  public let dictionary: [String: MLFeatureValue]

  /// Makes a provider from feature values, or from values that can become feature values: numbers, strings,
  /// multi-arrays, shaped arrays, pixel buffers, sequences and dictionaries.
  ///
  /// - Throws: ``MLModelError`` if a value cannot become a feature value. The message contains the name of the feature.
  public init(dictionary: [String: Any]) throws {
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(dictionary.count)
    for (name, value) in dictionary {
      values[name] = try makeFeatureValue(of: value, name: name)
    }
    self.dictionary = values
  }

  init(values: [String: MLFeatureValue]) {
    dictionary = values
  }

  /// The names of the features.
  open var featureNames: Set<String> { Set(dictionary.keys) }

  /// Returns the value of a feature, or nil for an unknown name.
  open func featureValue(for featureName: String) -> MLFeatureValue? { dictionary[featureName] }

  /// The value of a feature; nil for an unknown name.
  public subscript(featureName: String) -> MLFeatureValue? { dictionary[featureName] }

  /// The values by name.
  override open var description: String { dictionary.description }
}

/// Makes a feature value from a Swift value.
func makeFeatureValue(of value: Any, name: String) throws -> MLFeatureValue {
  switch value {
  case let value as MLFeatureValue: return value
  case let value as MLMultiArray: return MLFeatureValue(multiArray: value)
  case let value as CVPixelBuffer: return MLFeatureValue(pixelBuffer: value)
  case let value as MLSequence: return MLFeatureValue(sequence: value)
  case let value as MLSendableFeatureValue: return MLFeatureValue(value)
  case let value as String: return MLFeatureValue(string: value)
  case let value as Int: return MLFeatureValue(int64: Int64(value))
  case let value as Int64: return MLFeatureValue(int64: value)
  case let value as Int32: return MLFeatureValue(int64: Int64(value))
  case let value as Double: return MLFeatureValue(double: value)
  case let value as Float: return MLFeatureValue(double: Double(value))
  case let value as NSNumber:
    return isFloatingPoint(value)
      ? MLFeatureValue(double: value.doubleValue) : MLFeatureValue(int64: value.int64Value)
  case let value as any MLShapedArrayProtocol: return MLFeatureValue(multiArray: value._multiArray)
  case let value as [AnyHashable: NSNumber]: return try MLFeatureValue(dictionary: value)
  case let value as [String]: return MLFeatureValue(sequence: MLSequence(strings: value))
  default:
    throw MLModelError(
      .featureType,
      "The value of feature '\(name)' is a \(Swift.type(of: value)); expected an MLFeatureValue, "
        + "a number, a string, an MLMultiArray, a CVPixelBuffer, an MLSequence or a dictionary.")
  }
}

private func isFloatingPoint(_ number: NSNumber) -> Bool {
  let kind: Character? = String(cString: number.objCType).first
  return kind == "d" || kind == "f"
}

extension MLShapedArrayProtocol {
  fileprivate var _multiArray: MLMultiArray { MLMultiArray(self) }
}
