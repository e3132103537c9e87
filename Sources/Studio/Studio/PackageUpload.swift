import Foundation
import Glibc
import KerasFormat
import ModelFormat
import Service

/// Writes an uploaded model package (`.mlpackage`) as a folder.
enum PackageUpload {
  private static let mostFiles = 200

  /// Writes the files of a form. The file name of each file is its path within the folder.
  static func write(_ files: [MultipartBody.Part], to folder: URL) throws {
    let names: [String] = files.map { $0.fileName ?? $0.name }
    for (file, target) in zip(files, try targets(of: names, in: folder)) {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try file.data.write(to: target)
    }
  }

  /// Returns whether bytes begin with the signature of a ZIP archive.
  static func isArchive(_ data: Data) -> Bool { data.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// Unpacks a package that was packed with `zip`, file by file. Skips the files that macOS adds to archives.
  ///
  /// Before writing, the function checks the archive's directory. It refuses an archive whose directory lists names
  /// that no package has, files that overlap in the archive, or too many bytes. The directory may be wrong, so the
  /// function also counts the bytes while it unpacks them.
  ///
  /// - Parameter most: The maximum number of bytes of all files together.
  static func unpack(_ archive: URL, to folder: URL, most: Int) throws {
    let archive = try ZipArchive(MappedFile(path: archive.path).bytes)
    let names = archive.names.filter { !$0.hasSuffix("/") && !$0.hasPrefix("__MACOSX/") }
    guard (1...mostFiles).contains(names.count) else {
      throw HTTPError(
        422, "bad_package",
        "The archive has \(names.count) files, but a package has 1 to \(mostFiles).")
    }
    func tooLarge() -> HTTPError {
      HTTPError(
        413, "too_large",
        "The files in the archive have more than \(most) bytes, which is the limit.")
    }
    var left = most
    for name in names {
      left -= try min(archive.size(of: name) ?? 0, most + 1)
      guard left >= 0 else { throw tooLarge() }
    }
    let targets: [URL] = try targets(of: names, in: folder)
    try archive.requireSeparateFiles()
    left = most
    for (name, target) in zip(names, targets) {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      let file: Int32 = open(target.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw unwritable(name) }
      defer { close(file) }
      try archive.unpack(name) { bytes in
        left -= bytes.count
        guard left >= 0 else { throw tooLarge() }
        try write(bytes, to: file, name)
      }
    }
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, _ name: String
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      // Safe: `rest` is a part of the caller's bytes, which stay valid during the call.
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let written: Int = Glibc.write(file, piece.baseAddress, piece.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw unwritable(name) }
      rest = rest.dropFirst(written)
    }
  }

  private static func unwritable(_ name: String) -> HTTPError {
    let code: Int32 = errno
    return HTTPError(
      507, "no_disk",
      "The package's file '\(name)' cannot be written (\(String(cString: strerror(code)))).")
  }

  /// Returns the locations to write the files to, all below `folder`. Throws for names that no package has: each part
  /// of a path must consist of letters, digits and `. _ -`, and must not begin with a dot. No path of a file may also
  /// be the folder of another file.
  private static func targets(of names: [String], in folder: URL) throws -> [URL] {
    var files: Set<[String]> = []
    var folders: Set<[String]> = []
    let all: [[String]] = try names.map { name in
      var parts = name.split(separator: "/").map(String.init)
      // Browsers send the name of the uploaded folder as the first part of each path.
      if parts.count > 1, parts[0].lowercased().hasSuffix(".mlpackage") { parts.removeFirst() }
      guard (1...5).contains(parts.count), parts.allSatisfy(isPlain),
        parts == ["Manifest.json"] || parts.first == "Data"
      else {
        throw HTTPError(
          422, "bad_package",
          "A package has Manifest.json and files below Data, but this one has '\(name)'.")
      }
      guard files.insert(parts).inserted else {
        throw HTTPError(422, "bad_package", "The package has two files with the name '\(name)'.")
      }
      for count in 1..<max(1, parts.count) { folders.insert(Array(parts.prefix(count))) }
      return parts
    }
    if let both = files.first(where: folders.contains) {
      throw HTTPError(
        422, "bad_package",
        "The package has a file and a folder with the name '\(both.joined(separator: "/"))'.")
    }
    guard files.contains(["Manifest.json"]) else {
      throw HTTPError(422, "bad_package", "The package has no Manifest.json.")
    }
    return all.map { parts in parts.reduce(folder) { $0.appendingPathComponent($1) } }
  }

  private static func isPlain(_ part: String) -> Bool {
    !part.isEmpty && part.utf8.count <= 100 && !part.hasPrefix(".")
      && part.unicodeScalars.allSatisfy {
        ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
          || "._-".unicodeScalars.contains($0)
      }
  }
}
