import Foundation
import Imaging
import Platform
import Service

/// Stores uploaded pictures in the studio's private folder, so that several requests can use one upload.
final class PictureStore: Sendable {
  /// A picture's description.
  struct Entry: Codable, Sendable {
    let id: String
    let width: Int
    let height: Int
    let bytes: Int
  }

  private struct Contents {
    /// The pictures. The least recently used picture is first.
    var entries: [Entry] = []
    var bytes = 0
  }

  private let folder: PrivateFolder
  /// The limit for the number of pixels of a picture.
  let limit: PictureLimit
  private let contents = Locked(Contents())
  private static let mostBytes = 256 << 20
  private static let mostPictures = 256

  /// Creates an empty store.
  init(_ folder: PrivateFolder, _ limit: PictureLimit) {
    self.folder = folder
    self.limit = limit
  }

  /// Adds a picture. If the store then exceeds its limits, removes the least recently used pictures.
  func add(_ data: Data) throws -> Entry {
    let header = try Picture.probe(data: data, name: "the upload")
    try limit.require(header)
    let entry = Entry(
      id: makeIdentifier("p"), width: header.width, height: header.height, bytes: data.count)
    try data.write(to: folder.location(entry.id))
    let old: [Entry] = contents.withLock { contents in
      contents.entries.append(entry)
      contents.bytes += entry.bytes
      var old: [Entry] = []
      while contents.entries.count > 1,
        contents.bytes > Self.mostBytes || contents.entries.count > Self.mostPictures
      {
        let first = contents.entries.removeFirst()
        contents.bytes -= first.bytes
        old.append(first)
      }
      return old
    }
    for entry in old { try? FileManager.default.removeItem(at: folder.location(entry.id)) }
    return entry
  }

  /// Returns the description of a picture. Marks the picture as used now.
  func entry(_ id: String) throws -> Entry {
    let found: Entry? = contents.withLock { contents in
      guard let position = contents.entries.firstIndex(where: { $0.id == id }) else { return nil }
      contents.entries.append(contents.entries.remove(at: position))
      return contents.entries.last
    }
    guard let found else { throw Self.missing(id) }
    return found
  }

  /// Returns the bytes of a picture.
  func data(_ id: String) throws -> Data {
    let entry: Entry = try entry(id)
    guard let data = try? Data(contentsOf: folder.location(entry.id)) else {
      throw Self.missing(id)
    }
    return data
  }

  private static func missing(_ id: String) -> HTTPError {
    HTTPError(404, "no_picture", "The picture '\(id)' is not stored any more. Send it again.")
  }

  /// Removes a picture.
  func remove(_ id: String) {
    let isThere = contents.withLock { contents in
      guard let position = contents.entries.firstIndex(where: { $0.id == id }) else { return false }
      contents.bytes -= contents.entries.remove(at: position).bytes
      return true
    }
    if isThere { try? FileManager.default.removeItem(at: folder.location(id)) }
  }
}
