import Foundation

/// A network that gives each token of a text a vector. Apple's systems download it; here there is none, so every
/// initialiser is nil, as there for languages and scripts without a network.
public final class NLContextualEmbedding: NSObject {
  /// Whether a network's files could be had.
  public enum AssetsResult: Int, Sendable {
    /// The files are there.
    case available = 0
    /// There are none.
    case notAvailable = 1
    /// An error occurred.
    case error = 2
  }

  /// Always nil: there is no network.
  public init?(language: NLLanguage) { return nil }

  /// Always nil: there is no network.
  public init?(script: NLScript) { return nil }

  /// Always nil: there is no network.
  public init?(modelIdentifier: String) { return nil }

  /// Always empty: there is no network.
  public class func contextualEmbeddings(
    forValues values: [String: Any]
  ) -> [NLContextualEmbedding] { [] }

  /// Always empty, because there is no object.
  public var modelIdentifier: String { noObject() }
  /// Always empty, because there is no object.
  public var languages: [NLLanguage] { noObject() }
  /// Always empty, because there is no object.
  public var scripts: [NLScript] { noObject() }
  /// Always nil, because there is no object.
  public var revision: Int { noObject() }
  /// Always nil, because there is no object.
  public var dimension: Int { noObject() }
  /// Always nil, because there is no object.
  public var maximumSequenceLength: Int { noObject() }
  /// Always nil, because there is no object.
  public var hasAvailableAssets: Bool { noObject() }

  /// Has no effect, because there is no object.
  public func load() throws { noObject() }

  /// Has no effect, because there is no object.
  public func unload() { noObject() }

  /// Has no effect, because there is no object.
  public func requestAssets() async throws -> AssetsResult { noObject() }

  /// Has no effect, because there is no object.
  public func requestAssets(
    completionHandler: @escaping @Sendable (AssetsResult, (any Error)?) -> Void
  ) { noObject() }

  /// Has no effect, because there is no object.
  public func embeddingResult(
    for string: String, language: NLLanguage?
  ) throws -> NLContextualEmbeddingResult { noObject() }
}

/// The vectors of a text's tokens. No object of this class is ever made, because there is no network.
public final class NLContextualEmbeddingResult: NSObject {
  private override init() {}

  /// Always empty, because there is no object.
  public var string: String { noObject() }
  /// Always nil, because there is no object.
  public var language: NLLanguage { noObject() }
  /// Always nil, because there is no object.
  public var sequenceLength: Int { noObject() }

  /// Has no effect, because there is no object.
  public func tokenVector(at index: String.Index) -> ([Double], Range<String.Index>)? {
    noObject()
  }

  /// Has no effect, because there is no object.
  public func enumerateTokenVectors(
    in range: Range<String.Index>, using block: ([Double], Range<String.Index>) -> Bool
  ) { noObject() }
}

/// The body of members of classes of which there is no object.
private func noObject() -> Never {
  preconditionFailure("There is no contextual embedding, so this cannot be called.")
}
