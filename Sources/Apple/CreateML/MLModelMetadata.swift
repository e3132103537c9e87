import Foundation

/// What a model says about itself.
public struct MLModelMetadata: Sendable, Hashable {
  /// Who made it.
  public var author: String
  /// What it does.
  public var shortDescription: String
  /// Under which terms it may be used.
  public var license: String?
  /// Its version.
  public var version: String
  /// What else there is to say, by key.
  public var additional: [String: String]?

  /// Metadata.
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
