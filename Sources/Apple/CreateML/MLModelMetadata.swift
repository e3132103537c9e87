import Foundation

/// The metadata of a model.
public struct MLModelMetadata: Sendable, Hashable {
  /// The author of the model.
  public var author: String
  /// A description of the model.
  public var shortDescription: String
  /// The license of the model.
  public var license: String?
  /// The version of the model.
  public var version: String
  /// Additional metadata by key.
  public var additional: [String: String]?

  /// Makes metadata.
  public init(
    author: String = NSFullUserName(),
    shortDescription: String = "A model trained using CreateML for use with CoreML.",
    license: String? = nil, version: String = "1", additional: [String: String]? = nil
  ) {
    self.author = author
    self.shortDescription = shortDescription
    self.license = license
    self.version = version
    self.additional = additional
  }
}
