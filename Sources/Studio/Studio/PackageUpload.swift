import Foundation
import Glibc
import KerasFormat
import ModelFormat
import Service

/// Writes the files of a package's folder.
enum PackageUpload {
  private static let mostFiles = 200

  /// The files of a form, each with its name within the folder.
  static func write(_ files: [MultipartBody.Part], to place: URL) throws {
    let names: [String] = files.map { $0.fileName ?? $0.name }
    for (file, target) in zip(files, try targets(of: names, in: place)) {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try file.data.write(to: target)
    }
  }

  /// Whether bytes begin as a ZIP archive does.
  static func isArchive(_ data: Data) -> Bool { data.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// Unpacks a package that was packed with `zip`, file by file; what macOS adds is left out.
  ///
  /// Everything that can be refused is refused before anything is written: other names than a package's, files that
  /// lie in the same bytes of the archive, and more bytes than are taken, by what the archive says. What it says is
  /// not believed either: the bytes are counted as they come.
  ///
  /// - Parameter most: the most bytes that the files may have together.
  static func unpack(_ archive: URL, to place: URL, most: Int) throws {
    let archive = try ZipArchive(MappedFile(path: archive.path).bytes)
    let names = archive.names.filter { !$0.hasSuffix("/") && !$0.hasPrefix("__MACOSX/") }
    guard (1...mostFiles).contains(names.count) else {
      throw HTTPError(
        422, "bad_package",
        "The archive has \(names.count) files, but a package has 1 to \(mostFiles).")
    }
    func tooLarge() -> HTTPError {
      HTTPError(
        413, "too_large", "The archive's files have more than the \(most) bytes that are taken.")
    }
    var left = most
    for name in names {
      left -= try min(archive.size(of: name) ?? 0, most + 1)
      guard left >= 0 else { throw tooLarge() }
    }
    let targets: [URL] = try targets(of: names, in: place)
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
      // Safe: the piece is what is left of the caller's bytes, which outlive the call.
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

  /// Where files are written. Only what a package has is taken, and only below the place: each part of a name must be
  /// of letters, digits and `. _ -`, no part may begin with a dot, and no file may be a folder of another.
  private static func targets(of names: [String], in place: URL) throws -> [URL] {
    var files: Set<[String]> = []
    var folders: Set<[String]> = []
    let all: [[String]] = try names.map { name in
      var parts = name.split(separator: "/").map(String.init)
      // Browsers put the folder's own name first.
      if parts.count > 1, parts[0].lowercased().hasSuffix(".mlpackage") { parts.removeFirst() }
      guard (1...5).contains(parts.count), parts.allSatisfy(isPlain),
        parts == ["Manifest.json"] || parts.first == "Data"
      else {
        throw HTTPError(
          422, "bad_package",
          "A package has Manifest.json and files below Data, but this one has '\(name)'.")
      }
      guard files.insert(parts).inserted else {
        throw HTTPError(422, "bad_package", "The package has two files of the name '\(name)'.")
      }
      for count in 1..<max(1, parts.count) { folders.insert(Array(parts.prefix(count))) }
      return parts
    }
    if let both = files.first(where: folders.contains) {
      throw HTTPError(
        422, "bad_package",
        "The package has a file and a folder of the name '\(both.joined(separator: "/"))'.")
    }
    guard files.contains(["Manifest.json"]) else {
      throw HTTPError(422, "bad_package", "The package has no Manifest.json, which every one has.")
    }
    return all.map { parts in parts.reduce(place) { $0.appendingPathComponent($1) } }
  }

  private static func isPlain(_ part: String) -> Bool {
    !part.isEmpty && part.utf8.count <= 100 && !part.hasPrefix(".")
      && part.unicodeScalars.allSatisfy {
        ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
          || "._-".unicodeScalars.contains($0)
      }
  }
}
