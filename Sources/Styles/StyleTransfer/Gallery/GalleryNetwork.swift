import Foundation
import ModelFormat
import ModelTools

/// A network of the gallery that paints in several styles, and how it was trained.
///
/// `networks.json` in the gallery's folder lists the networks.
public struct GalleryNetwork: Sendable, Equatable {
  /// The record of the network in `networks.json`.
  public let record: Record
  /// The gallery's folder.
  public let folder: URL

  /// A line of `networks.json`.
  public struct Record: Codable, Sendable, Equatable {
    /// The file, how it was trained, and its digest.
    public var network: StyleDescription.Model
    /// The names of the styles that it paints.
    public var styles: [String]

    /// Creates a record.
    public init(network: StyleDescription.Model, styles: [String]) {
      self.network = network
      self.styles = styles
    }
  }

  /// The name of the list of networks in the gallery's folder.
  public static let listFile = "networks.json"

  /// Returns the name of the file of the large or the small network in the gallery's folder.
  public static func file(_ algorithm: StyleAlgorithm) -> String {
    algorithm == .cnnLite ? "lite.mlmodel" : "styles.mlmodel"
  }

  /// The algorithm of the network.
  public var algorithm: StyleAlgorithm {
    StyleAlgorithm(rawValue: record.network.algorithm) ?? .cnn
  }
  /// The names of the styles that the network paints.
  public var styles: [String] { record.styles }
  /// The network's file.
  public var file: URL { folder.appendingPathComponent(record.network.file) }

  /// Returns the networks of a gallery's folder. None if it has no list.
  public static func all(in folder: URL) throws -> [GalleryNetwork] {
    try records(in: folder).map { GalleryNetwork(record: $0, folder: folder) }
  }

  /// Returns the large or the small network of a gallery's folder. Nil if it has none.
  public static func network(lite: Bool, in folder: URL) throws -> GalleryNetwork? {
    try all(in: folder).first { ($0.algorithm == .cnnLite) == lite }
  }

  /// Reads the list of networks of a gallery's folder. Returns an empty list if there is none.
  public static func records(in folder: URL) throws -> [Record] {
    let list: URL = folder.appendingPathComponent(listFile)
    guard let data = try? Data(contentsOf: list) else { return [] }
    do {
      return try JSONDecoder().decode([Record].self, from: data)
    } catch {
      throw StyleTransferError(
        .file,
        "The list of networks '\(list.path)' cannot be read. Get it again from the repository.")
    }
  }

  /// Encodes a list of networks as JSON with sorted keys.
  public static func encoded(_ records: [Record]) throws -> Data {
    try StyleDescription.encoded(records)
  }

  /// Reads the network.
  public func read() throws -> MultiStyleNetwork {
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw StyleTransferError(
        .file, "The gallery's network '\(file.path)' is missing. Get it again from the repository.")
    }
    return try MultiStyleNetwork(
      reading: ModelFile.open(file).model, name: file.lastPathComponent)
  }

  /// Returns the file in the cache folder for the network of one style. Its folder has the digest of the network in its
  /// name, so a new network gets new files.
  public func location(_ style: String, in cache: URL = ModelCache.folder) -> URL {
    let digest: String = String(record.network.sha256.prefix(16))
    return cache.appendingPathComponent("gallery/\(digest)/\(style).mlmodel")
  }

  /// Writes the network of one style into the cache folder, unless it is there already, and returns its file.
  public func export(_ style: String, to cache: URL = ModelCache.folder) throws -> URL {
    let target: URL = location(style, in: cache)
    guard !FileManager.default.fileExists(atPath: target.path) else { return target }
    let network: StyleNetwork = try read().mixture(of: [(style, 1)])
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try network.model(description: .style(style)).write(to: target)
    } catch {
      throw StyleTransferError(
        .file,
        "The network of the style '\(style)' cannot be written to '\(target.path)'. Set XDG_CACHE_HOME to"
          + " a folder that can be written to.")
    }
    return target
  }
}

extension StyleNetwork.Description {
  /// The description of the network of a style, or of a mixture of styles.
  public static func style(_ mixture: String, strength: Double = 1) -> StyleNetwork.Description {
    StyleNetwork.Description(
      summary: "Paints pictures in the style of \(mixture).",
      additional: ["Style": mixture, "Style Strength": "\(strength)"])
  }
}
