import Foundation

/// What the gallery knows of a style: the painting, and how its networks were trained.
public struct StyleCard: Codable, Sendable, Equatable {
  /// The name on the command line, that of the folder: `great-wave`.
  public var name: String
  /// The painting's title.
  public var title: String
  /// Who painted it.
  public var painter: String
  /// When: `1889`, `about 1831`.
  public var year: String
  /// Where the picture of the painting comes from.
  public var source: Source
  /// The networks, the large one first.
  public var models: [Model]
  /// What may be done with the networks, and with the painting.
  public var licence: String

  /// The file that a style was learned from.
  public struct Source: Codable, Sendable, Equatable {
    /// Where it was found.
    public var collection: String
    /// Its name there.
    public var file: String
    /// The SHA-256 digest of its bytes.
    public var sha256: String

    /// A source.
    public init(collection: String, file: String, sha256: String) {
      self.collection = collection
      self.file = file
      self.sha256 = sha256
    }
  }

  /// A network of the style.
  public struct Model: Codable, Sendable, Equatable {
    /// The file in the style's folder.
    public var file: String
    /// `cnn`, or `cnnLite` for the small one.
    public var algorithm: String
    /// Its size.
    public var bytes: Int
    /// The SHA-256 digest of its bytes.
    public var sha256: String
    /// How it was trained.
    public var settings: [String: CardValue]
    /// The losses that training ended with.
    public var losses: [String: Double]

    /// A network.
    public init(
      file: String, algorithm: String, bytes: Int, sha256: String,
      settings: [String: CardValue] = [:], losses: [String: Double] = [:]
    ) {
      self.file = file
      self.algorithm = algorithm
      self.bytes = bytes
      self.sha256 = sha256
      self.settings = settings
      self.losses = losses
    }
  }

  /// A card.
  public init(
    name: String, title: String, painter: String, year: String, source: Source, models: [Model],
    licence: String
  ) {
    self.name = name
    self.title = title
    self.painter = painter
    self.year = year
    self.source = source
    self.models = models
    self.licence = licence
  }

  /// The file of a style's large network.
  public static let modelFile = "model.mlmodel"
  /// The file of a style's small network, for live pictures.
  public static let liteFile = "lite.mlmodel"
  /// The file of the card.
  public static let cardFile = "card.json"

  /// Whether there is a network for live pictures.
  public var hasLite: Bool { models.contains { $0.file == Self.liteFile } }

  /// Reads a card.
  public init(contentsOf url: URL) throws {
    do {
      self = try JSONDecoder().decode(StyleCard.self, from: Data(contentsOf: url))
    } catch {
      throw StyleTransferError(
        .file,
        "The card '\(url.path)' cannot be read (\(Self.reason(error))). Get the folder again from the"
          + " repository.")
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): return "it has no '\(key.stringValue)'"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      return "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' is of another kind"
    case is DecodingError: return "it is no JSON"
    default: return "there is no such file, or it may not be read"
    }
  }

  /// The card as a file: sorted keys, so that changes can be compared line by line.
  public func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}

/// A setting on a card: a number, a text, or yes and no.
public enum CardValue: Codable, Sendable, Equatable {
  /// Yes or no.
  case flag(Bool)
  /// A number.
  case number(Double)
  /// A text.
  case text(String)

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .flag(let flag): try container.encode(flag)
    case .number(let number):
      if let whole = Int(exactly: number) {
        try container.encode(whole)
      } else {
        try container.encode(number)
      }
    case .text(let text): try container.encode(text)
    }
  }
}
