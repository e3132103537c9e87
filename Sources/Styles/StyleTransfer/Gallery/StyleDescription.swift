import Foundation

/// The description of a style in the gallery: its painting, and how its networks were trained.
public struct StyleDescription: Codable, Sendable, Equatable {
  /// The name of the style on the command line, which is also the name of its folder: `great-wave`.
  public var name: String
  /// The title of the painting.
  public var title: String
  /// The painter.
  public var painter: String
  /// The year of the painting, such as `1889` or `about 1831`.
  public var year: String
  /// The source of the painting's file.
  public var source: Source
  /// The networks in the style's own folder. The large one is first. Empty if the style is one of a network for several
  /// styles (``GalleryNetwork``).
  public var models: [Model]
  /// The licence of the networks and of the painting.
  public var licence: String

  /// The file of the painting on which a style was trained.
  public struct Source: Codable, Sendable, Equatable {
    /// The collection that publishes the file.
    public var collection: String
    /// The name of the file in the collection.
    public var file: String
    /// The SHA-256 digest of the file.
    public var sha256: String

    /// Creates a source.
    public init(collection: String, file: String, sha256: String) {
      self.collection = collection
      self.file = file
      self.sha256 = sha256
    }
  }

  /// A network of the style.
  public struct Model: Codable, Sendable, Equatable {
    /// The name of the network's file in the style's folder.
    public var file: String
    /// The algorithm: `cnn` for the large network, `cnnLite` for the small one.
    public var algorithm: String
    /// The size of the file in bytes.
    public var bytes: Int
    /// The SHA-256 digest of the file.
    public var sha256: String
    /// The settings with which the network was trained.
    public var settings: [String: SettingValue]
    /// The losses at the end of the training.
    public var losses: [String: Double]

    /// Creates the description of a network.
    public init(
      file: String, algorithm: String, bytes: Int, sha256: String,
      settings: [String: SettingValue] = [:], losses: [String: Double] = [:]
    ) {
      self.file = file
      self.algorithm = algorithm
      self.bytes = bytes
      self.sha256 = sha256
      self.settings = settings
      self.losses = losses
    }
  }

  /// Creates a description.
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

  /// The name of the file with a style's large network.
  public static let modelFile = "model.mlmodel"
  /// The file name of the painting.
  public static let paintingFile = "painting.jpg"
  /// The name of the file with a style's small network, for live pictures.
  public static let liteFile = "lite.mlmodel"
  /// The name of the file with the description.
  public static let descriptionFile = "style.json"

  /// Reads a description.
  public init(contentsOf url: URL) throws {
    do {
      self = try JSONDecoder().decode(StyleDescription.self, from: Data(contentsOf: url))
    } catch {
      throw StyleTransferError(
        .file,
        "The description '\(url.path)' cannot be read (\(Self.reason(error))). Get the folder again"
          + " from the repository.")
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): return "it has no '\(key.stringValue)'"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      return "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has another type"
    case is DecodingError: return "it is not JSON"
    default: return "there is no such file, or it cannot be read"
    }
  }

  /// Encodes the description as JSON with sorted keys, so that two versions can be compared line by line.
  public func encoded() throws -> Data { try Self.encoded(self) }

  static func encoded(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + Data("\n".utf8)
  }
}

/// The value of a training setting: a number, a text or a Boolean.
public enum SettingValue: Codable, Sendable, Equatable {
  /// A Boolean.
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
