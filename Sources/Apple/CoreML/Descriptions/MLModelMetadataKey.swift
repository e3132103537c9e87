/// The name of an entry of a model's metadata.
public struct MLModelMetadataKey: RawRepresentable, Hashable, Sendable {
  /// The key's text.
  public let rawValue: String

  /// Makes a key of its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Who made the model.
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  /// What the model does.
  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  /// Under which terms it may be used.
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  /// Its version.
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  /// A dictionary of texts of the maker's own.
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}
