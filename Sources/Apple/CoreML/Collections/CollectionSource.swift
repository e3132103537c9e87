import Encryption
import Foundation
import Glibc

/// Where deployments of models come from: a folder, or an HTTPS address, with a manifest in it.
struct CollectionSource: Sendable {
  /// The folder's or address's URL.
  let url: URL
  /// What errors call the collection.
  let identifier: String

  /// Reads the manifest; nil where the source cannot be reached.
  func manifest() throws -> CollectionManifest? {
    guard url.isFileURL else {
      let folder: URL = FileManager.default.temporaryDirectory
        .appendingPathComponent("atelier-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file: URL = folder.appendingPathComponent(CollectionManifest.fileName)
      guard try download(CollectionManifest.fileName, to: file, limit: CollectionManifest.sizeLimit)
      else { return nil }
      return try CollectionManifest(Data(contentsOf: file), for: identifier)
    }
    let file: URL = url.appendingPathComponent(CollectionManifest.fileName)
    guard let json = try? Data(contentsOf: file) else { return nil }
    return try CollectionManifest(json, for: identifier)
  }

  /// Brings a file to a place, and goes on where an earlier attempt stopped. What arrives is what the
  /// manifest says, or nothing.
  func bring(_ file: CollectionManifest.File, to place: URL) throws {
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    if FileDigest.sha256(of: place) == file.sha256 { return }
    if Self.size(of: place) ?? 0 >= file.size { try? FileManager.default.removeItem(at: place) }
    if url.isFileURL {
      try? FileManager.default.removeItem(at: place)
      do {
        try FileManager.default.copyItem(at: url.appendingPathComponent(file.path), to: place)
      } catch {
        throw MLModelError(
          .modelCollection,
          "The file '\(file.path)' of the model collection '\(identifier)' cannot be copied from"
            + " '\(url.path)'.", cause: error)
      }
    } else {
      guard try download(file.path, to: place, limit: file.size) else {
        throw MLModelError(
          .modelCollection,
          "The file '\(file.path)' of the model collection '\(identifier)' could not be downloaded. Try"
            + " again: what has arrived is kept.")
      }
    }
    guard FileDigest.sha256(of: place) == file.sha256 else {
      try? FileManager.default.removeItem(at: place)
      throw MLModelError(
        .modelCollection,
        "The file '\(file.path)' of the model collection '\(identifier)' is not the one that the manifest"
          + " names: its SHA-256 digest is another.")
    }
  }

  private static func size(of file: URL) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.intValue
  }

  /// Downloads by curl, which knows the user's proxies and certificates; false where it does not succeed.
  private func download(_ path: String, to place: URL, limit: Int) throws -> Bool {
    guard url.scheme?.lowercased() == "https" else {
      throw MLModelError(
        .modelCollection,
        "The model collection '\(identifier)' is at \(url.absoluteString), expected a folder or an"
          + " https address.")
    }
    let address: String =
      url.absoluteString + (url.absoluteString.hasSuffix("/") ? "" : "/")
      + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
    // A second attempt begins anew where the server sends no parts of files.
    for isFresh in [false, true] {
      if isFresh { try? FileManager.default.removeItem(at: place) }
      let known: Int = Self.size(of: place) ?? 0
      let download = CountedDownload(
        command: [
          "curl", "--silent", "--fail", "--location", "--proto", "=https", "--proto-redir",
          "=https", "--connect-timeout", "20", "--speed-time", "60", "--speed-limit", "1024",
          "--continue-at", "\(known)", "--", address,
        ], limit: limit, seconds: CountedDownload.seconds(for: limit))
      let outcome: CountedDownload.Outcome
      do {
        outcome = try download.run(to: place.path)
      } catch {
        throw MLModelError(.modelCollection, "The program 'curl' cannot be started.", cause: error)
      }
      switch outcome {
      case .ended(0): return true
      case .ended(Self.noSuchProgram):
        throw MLModelError(
          .modelCollection,
          "Model collections are downloaded by curl, which is not installed: sudo apt-get install"
            + " curl.")
      case .ended(Self.noParts) where known > 0: continue
      case .ended, .late: return false
      case .tooLong:
        try? FileManager.default.removeItem(at: place)
        throw MLModelError(
          .modelCollection,
          "The file '\(path)' of the model collection '\(identifier)' has more than the \(limit) bytes"
            + " that are expected. Write the manifest anew from what the server has.")
      case .unwritable(let code):
        throw MLModelError(
          .modelCollection,
          "The file '\(path)' of the model collection '\(identifier)' cannot be written to"
            + " '\(place.path)' (\(String(cString: strerror(code)))).")
      }
    }
    return false
  }

  /// What `env` says where there is no program of the name.
  private static let noSuchProgram: Int32 = 127
  /// What curl says where a server sends no parts of files (`CURLE_RANGE_ERROR`).
  private static let noParts: Int32 = 33
}
