/// The key of an entry in a model's metadata.
public struct MLModelMetadataKey: RawRepresentable, Hashable, Sendable {
  /// The key's text.
  public let rawValue: String

  /// Makes a key from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The author of the model.
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  /// The description of the model.
  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  /// The license of the model.
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  /// The version of the model.
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  /// A dictionary of strings that the author defines.
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}
