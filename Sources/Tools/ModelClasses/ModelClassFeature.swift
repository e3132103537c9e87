import ModelFormat

/// An input or output of a model as a member of a generated class.
struct ModelClassFeature {
  /// The size of a picture, and whether it is grey.
  struct Image {
    let width: Int64
    let height: Int64
    /// Whether the picture has only grey samples.
    let isGray: Bool

    /// Returns the Swift expression that converts a picture to the model's pixel format and size.
    func buffer(_ label: String, _ value: String) -> String {
      let format: String =
        isGray ? "kCVPixelFormatType_OneComponent8" : "kCVPixelFormatType_32ARGB"
      return
        "MLFeatureValue(\(label): \(value), pixelsWide: \(width), pixelsHigh: \(height), pixelFormatType: \(format), options: nil).imageBufferValue!"
    }
  }

  /// The name of the member in Swift.
  let name: String
  /// The name of the feature in the model, as a Swift literal.
  let key: String
  /// The Swift type of the member.
  let type: String
  /// The doc comment of the member, including the slashes.
  let comment: String
  /// The size and colours of a picture. Nil for other features.
  private(set) var image: Image?
  /// The element type of a multi-array, as a Swift type. Nil for other features, and for element types that Swift does
  /// not have.
  private(set) var scalar: String?
  private let wrapping: (String) -> String
  private let reading: String
  private let isOptional: Bool

  /// The type of the member as a shaped array. Nil if ``scalar`` is nil.
  var shapedType: String? { scalar.map { "MLShapedArray<\($0)>" } }

  /// Returns the Swift expression that converts a value to an `MLFeatureValue`.
  func boxed(_ value: String) -> String {
    isOptional ? "\(value).map { \(wrapping("$0")) }" : wrapping(value)
  }

  /// The Swift expression that reads the value from the feature provider.
  var unboxed: String {
    let value: String = "provider.featureValue(for: \(key))"
    return isOptional ? "\(value)?.\(reading.replacing("!", with: ""))" : "\(value)!.\(reading)"
  }

  /// Converts the features of a model to members. Names that are equal in Swift get numbers.
  static func list(_ features: [Spec.FeatureDescription]) -> [ModelClassFeature] {
    var taken: Set<String> = []
    return features.map { feature in
      var name: String = SwiftName.variable(feature.name)
      var number = 2
      while !taken.insert(name).inserted {
        name = SwiftName.variable("\(feature.name)\(number)")
        number += 1
      }
      return ModelClassFeature(feature, name: name)
    }
  }

  private init(_ feature: Spec.FeatureDescription, name: String) {
    self.name = name
    key = SwiftName.literal(feature.name)
    var words: String = SwiftName.oneLine(feature.shortDescription)
    var type = "MLFeatureValue"
    var kind = "a value"
    var (wrapping, reading): ((String) -> String, String) = ({ $0 }, "self")
    switch feature.type?.type {
    case .doubleType?:
      (type, kind, reading) = ("Double", "a number", "doubleValue")
      wrapping = { "MLFeatureValue(double: \($0))" }
    case .int64Type?:
      (type, kind, reading) = ("Int64", "an integer", "int64Value")
      wrapping = { "MLFeatureValue(int64: \($0))" }
    case .stringType?:
      (type, kind, reading) = ("String", "text", "stringValue")
      wrapping = { "MLFeatureValue(string: \($0))" }
    case .imageType(let picture)?:
      let isGray: Bool = picture.colorSpace == .grayscale
      image = Image(width: picture.width, height: picture.height, isGray: isGray)
      (type, reading) = ("CVPixelBuffer", "imageBufferValue!")
      kind =
        "a \(isGray ? "grey" : "colour") picture, \(picture.width) pixels wide and \(picture.height) high"
      wrapping = { "MLFeatureValue(pixelBuffer: \($0))" }
    case .multiArrayType(let array)?:
      (type, reading) = ("MLMultiArray", "multiArrayValue!")
      let shape: String = array.shape.map(String.init).joined(separator: " × ")
      kind = shape.isEmpty ? "numbers of any shape" : "numbers, \(shape)"
      switch array.dataType {
      case .float16: scalar = "Float16"
      case .float32: scalar = "Float"
      case .double: scalar = "Double"
      case .int32: scalar = "Int32"
      default: scalar = nil
      }
      wrapping = { "MLFeatureValue(multiArray: \($0))" }
    case .dictionaryType(let dictionary)?:
      let keys: String
      if case .int64KeyType? = dictionary.keyType { keys = "Int64" } else { keys = "String" }
      (type, kind) = (
        "[\(keys): Double]", "numbers by \(keys == "Int64" ? "integers" : "strings")"
      )
      reading =
        "dictionaryValue.reduce(into: [\(keys): Double]()) { if let key = $1.key as? \(keys) { $0[key] = $1.value.doubleValue } }"
      wrapping = {
        "try! MLFeatureValue(dictionary: \($0).reduce(into: [AnyHashable: NSNumber]()) { $0[$1.key] = NSNumber(value: $1.value) })"
      }
    case .sequenceType(let sequence)?:
      let isText: Bool
      if case .stringType? = sequence.type { isText = true } else { isText = false }
      type = isText ? "[String]" : "[Int64]"
      kind = isText ? "strings" : "integers"
      reading =
        isText ? "sequenceValue!.stringValues" : "sequenceValue!.int64Values.map(\\.int64Value)"
      wrapping = {
        isText
          ? "MLFeatureValue(sequence: MLSequence(strings: \($0)))"
          : "MLFeatureValue(sequence: MLSequence(int64s: \($0).map { NSNumber(value: $0) }))"
      }
    case .stateType?, nil: break
    }
    if !words.isEmpty, !words.hasSuffix(".") { words += "." }
    let what: String = kind.prefix(1).uppercased() + kind.dropFirst() + "."
    comment = "/// " + (words.isEmpty ? what : "\(words) \(what)")
    let isOptional: Bool = feature.type?.isOptional ?? false
    self.type = isOptional ? type + "?" : type
    self.isOptional = isOptional
    if isOptional { (scalar, image) = (nil, nil) }
    (self.wrapping, self.reading) = (wrapping, reading)
  }
}
