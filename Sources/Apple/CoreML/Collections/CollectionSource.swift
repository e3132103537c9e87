import Encryption
import Foundation
import Glibc

/// The source of a collection's deployments. It is a folder or an HTTPS address that has a manifest.
struct CollectionSource: Sendable {
  /// The URL of the folder or address.
  let url: URL
  /// The name of the collection in error messages.
  let identifier: String

  /// Reads the manifest. Returns nil if the source cannot be reached.
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

  /// Copies or downloads a file. If an earlier download of the file was interrupted, continues that download.
  ///
  /// - Throws: ``MLModelError`` if the file cannot be fetched, or if the fetched file does not have the SHA-256 digest
  ///   in the manifest.
  func fetch(_ file: CollectionManifest.File, to destination: URL) throws {
    try FileManager.default.createDirectory(
      at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
    if SHA256.hexDigest(ofFile: destination) == file.sha256 { return }
    if Self.size(of: destination) ?? 0 >= file.size {
      try? FileManager.default.removeItem(at: destination)
    }
    if url.isFileURL {
      try? FileManager.default.removeItem(at: destination)
      do {
        try FileManager.default.copyItem(at: url.appendingPathComponent(file.path), to: destination)
      } catch {
        throw MLModelError(
          .modelCollection,
          "The file '\(file.path)' of the model collection '\(identifier)' cannot be copied from"
            + " '\(url.path)'.", cause: error)
      }
    } else {
      guard try download(file.path, to: destination, limit: file.size) else {
        throw MLModelError(
          .modelCollection,
          "The file '\(file.path)' of the model collection '\(identifier)' could not be downloaded. Try"
            + " again: the download will continue.")
      }
    }
    guard SHA256.hexDigest(ofFile: destination) == file.sha256 else {
      try? FileManager.default.removeItem(at: destination)
      throw MLModelError(
        .modelCollection,
        "The file '\(file.path)' of the model collection '\(identifier)' does not have the SHA-256 digest in the"
          + " manifest. Write the manifest again from the files of the source.")
    }
  }

  private static func size(of file: URL) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.intValue
  }

  /// Downloads a file with curl, because curl uses the user's proxies and certificates. Returns false if curl ends with
  /// an error or exceeds the time limit.
  private func download(_ path: String, to destination: URL, limit: Int) throws -> Bool {
    guard url.scheme?.lowercased() == "https" else {
      throw MLModelError(
        .modelCollection,
        "The model collection '\(identifier)' is at \(url.absoluteString), expected a folder or an"
          + " https address.")
    }
    let address: String =
      url.absoluteString + (url.absoluteString.hasSuffix("/") ? "" : "/")
      + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
    // If the server does not support range requests, a second attempt downloads the whole file.
    for isFresh in [false, true] {
      if isFresh { try? FileManager.default.removeItem(at: destination) }
      let known: Int = Self.size(of: destination) ?? 0
      let download = CountedDownload(
        command: [
          "curl", "--silent", "--fail", "--location", "--proto", "=https", "--proto-redir",
          "=https", "--connect-timeout", "20", "--speed-time", "60", "--speed-limit", "1024",
          "--continue-at", "\(known)", "--", address,
        ], limit: limit, seconds: CountedDownload.seconds(for: limit))
      let outcome: CountedDownload.Outcome
      do {
        outcome = try download.run(to: destination.path)
      } catch {
        throw MLModelError(.modelCollection, "The program 'curl' cannot be started.", cause: error)
      }
      switch outcome {
      case .ended(0): return true
      case .ended(Self.programNotFound):
        throw MLModelError(
          .modelCollection,
          "Model collections are downloaded with curl, which is not installed: sudo apt-get install"
            + " curl.")
      case .ended(Self.rangeError) where known > 0: continue
      case .ended, .late: return false
      case .tooLong:
        try? FileManager.default.removeItem(at: destination)
        throw MLModelError(
          .modelCollection,
          "The file '\(path)' of the model collection '\(identifier)' has more than the \(limit) bytes"
            + " in the manifest. Write the manifest again from the files of the server.")
      case .unwritable(let code):
        throw MLModelError(
          .modelCollection,
          "The file '\(path)' of the model collection '\(identifier)' cannot be written to"
            + " '\(destination.path)' (\(String(cString: strerror(code)))).")
      }
    }
    return false
  }

  /// The exit status of `env` if it does not find the program.
  private static let programNotFound: Int32 = 127
  /// The exit status of curl if the server does not support range requests (`CURLE_RANGE_ERROR`).
  private static let rangeError: Int32 = 33
}
