import CoreML
import Foundation

/// An output of a model of another kind than classes, objects and images.
public struct CoreMLFeatureValueObservation: VisionObservation {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, always 1.
  public let confidence: Float
  /// The name of the model's output.
  public let featureName: String
  /// The value of the output.
  public let featureValue: MLSendableFeatureValue

  /// Copies an observation of the older interface. Returns nil for an image.
  public init?(_ observation: VNCoreMLFeatureValueObservation) {
    guard let value = MLSendableFeatureValue(observation.featureValue) else { return nil }
    uuid = observation.uuid
    confidence = observation.confidence
    featureName = observation.featureName
    featureValue = value
  }

  /// The name of the output.
  public var description: String { "value of \"\(featureName)\"" }

  /// Returns whether both are the same observation.
  public static func == (
    left: CoreMLFeatureValueObservation, right: CoreMLFeatureValueObservation
  ) -> Bool { left.uuid == right.uuid }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(uuid) }
}

extension CoreMLFeatureValueObservation: Codable {
  /// A value in a form that can be encoded. Arrays of all types become arrays of `Double`.
  private enum EncodableValue: Codable {
    case integer(Int)
    case number(Double)
    case text(String)
    case texts([String])
    case namedNumbers([String: Double])
    case numberedNumbers([Int: Double])
    case array(shape: [Int], numbers: [Double])

    init?(_ value: MLSendableFeatureValue) {
      func array<Scalar: MLShapedArrayScalar>(_ type: Scalar.Type) -> EncodableValue? {
        value.shapedArrayValue(of: type).map {
          .array(shape: $0.shape, numbers: MLShapedArray<Double>(converting: $0).scalars)
        }
      }
      if let number = value.integerValue {
        self = .integer(number)
      } else if let number = value.doubleValue {
        self = .number(number)
      } else if let text = value.stringValue {
        self = .text(text)
      } else if let texts = value.stringArrayValue {
        self = .texts(texts)
      } else if let numbers = value.stringDictionaryValue {
        self = .namedNumbers(numbers)
      } else if let numbers = value.integerDictionaryValue {
        self = .numberedNumbers(numbers)
      } else if let array = array(Float.self) ?? array(Double.self) ?? array(Float16.self) {
        self = array
      } else if let array = array(Int32.self) ?? array(Int8.self) {
        self = array
      } else {
        return nil
      }
    }

    var value: MLSendableFeatureValue {
      switch self {
      case .integer(let number): MLSendableFeatureValue(number)
      case .number(let number): MLSendableFeatureValue(number)
      case .text(let text): MLSendableFeatureValue(text)
      case .texts(let texts): MLSendableFeatureValue(texts)
      case .namedNumbers(let numbers): MLSendableFeatureValue(numbers)
      case .numberedNumbers(let numbers): MLSendableFeatureValue(numbers)
      case .array(let shape, let numbers):
        MLSendableFeatureValue(MLShapedArray<Double>(scalars: numbers, shape: shape))
      }
    }
  }

  private enum CodingKeys: CodingKey { case uuid, confidence, featureName, featureValue }

  /// Encodes the observation. Arrays of all types become arrays of `Double`.
  public func encode(to encoder: any Encoder) throws {
    guard let encodable = EncodableValue(featureValue) else {
      throw VNError(
        .invalidOperation, "The value of \"\(featureName)\" has a type that cannot be encoded.")
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(uuid, forKey: .uuid)
    try container.encode(confidence, forKey: .confidence)
    try container.encode(featureName, forKey: .featureName)
    try container.encode(encodable, forKey: .featureValue)
  }

  /// Decodes an observation.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uuid = try container.decode(UUID.self, forKey: .uuid)
    confidence = try container.decode(Float.self, forKey: .confidence)
    featureName = try container.decode(String.self, forKey: .featureName)
    let encodable = try container.decode(EncodableValue.self, forKey: .featureValue)
    if case .array(let shape, let numbers) = encodable,
      shape.contains(where: { $0 < 0 || $0 > numbers.count })
        || shape.reduce(1, { $0.multipliedReportingOverflow(by: $1).partialValue })
          != numbers.count
    {
      throw DecodingError.dataCorruptedError(
        forKey: .featureValue, in: container,
        debugDescription: "The array has \(numbers.count) numbers, which do not fit its shape.")
    }
    featureValue = encodable.value
  }
}
