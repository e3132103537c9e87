import Foundation
import Imaging
import Platform
import Service

/// Pictures that were sent once to be used several times, in the studio's private folder.
final class PictureShelf: Sendable {
  /// A picture's description.
  struct Entry: Codable, Sendable {
    let id: String
    let width: Int
    let height: Int
    let bytes: Int
  }

  private struct Shelf {
    /// Longest unused first.
    var entries: [Entry] = []
    var bytes = 0
  }

  private let folder: PrivateFolder
  /// What is decoded.
  let limit: PictureLimit
  private let shelf = Locked(Shelf())
  private static let mostBytes = 256 << 20
  private static let mostPictures = 256

  /// An empty shelf.
  init(_ folder: PrivateFolder, _ limit: PictureLimit) {
    self.folder = folder
    self.limit = limit
  }

  /// Puts a picture on the shelf, and takes those away that were not used for long.
  func add(_ data: Data) throws -> Entry {
    let header = try Picture.probe(data: data, name: "the upload")
    try limit.require(header)
    let turned = header.orientation.swapsSides
    let entry = Entry(
      id: makeIdentifier("p"), width: turned ? header.height : header.width,
      height: turned ? header.width : header.height, bytes: data.count)
    try data.write(to: folder.place(entry.id))
    let old: [Entry] = shelf.withLock { shelf in
      shelf.entries.append(entry)
      shelf.bytes += entry.bytes
      var old: [Entry] = []
      while shelf.entries.count > 1,
        shelf.bytes > Self.mostBytes || shelf.entries.count > Self.mostPictures
      {
        let first = shelf.entries.removeFirst()
        shelf.bytes -= first.bytes
        old.append(first)
      }
      return old
    }
    for entry in old { try? FileManager.default.removeItem(at: folder.place(entry.id)) }
    return entry
  }

  /// The description of a picture, which counts as used now.
  func entry(_ id: String) throws -> Entry {
    let found: Entry? = shelf.withLock { shelf in
      guard let place = shelf.entries.firstIndex(where: { $0.id == id }) else { return nil }
      shelf.entries.append(shelf.entries.remove(at: place))
      return shelf.entries.last
    }
    guard let found else { throw Self.missing(id) }
    return found
  }

  /// The bytes of a picture.
  func data(_ id: String) throws -> Data {
    let entry: Entry = try entry(id)
    guard let data = try? Data(contentsOf: folder.place(entry.id)) else { throw Self.missing(id) }
    return data
  }

  private static func missing(_ id: String) -> HTTPError {
    HTTPError(404, "no_picture", "There is no picture '\(id)' any more. Send it again.")
  }

  /// Takes a picture away.
  func remove(_ id: String) {
    let isThere = shelf.withLock { shelf in
      guard let place = shelf.entries.firstIndex(where: { $0.id == id }) else { return false }
      shelf.bytes -= shelf.entries.remove(at: place).bytes
      return true
    }
    if isThere { try? FileManager.default.removeItem(at: folder.place(id)) }
  }
}
