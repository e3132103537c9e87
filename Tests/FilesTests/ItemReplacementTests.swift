import Foundation
import Testing

@testable import Files

@Suite struct ItemReplacementTests {
  private let manager = FileManager.default

  private func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("FilesTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  private func makeFolder(_ path: String, _ text: String) throws {
    try manager.createDirectory(atPath: path + "/deep", withIntermediateDirectories: true)
    try write(text, path + "/deep/a.txt")
  }

  private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `A non-empty folder can be replaced by another`() throws {
    try withFolder { folder in
      try makeFolder(folder + "/model", "old")
      try makeFolder(folder + "/new", "new")
      try ItemReplacement.replace(folder + "/model", with: folder + "/new")
      #expect(try read(folder + "/model/deep/a.txt") == "new")
      #expect(try manager.contentsOfDirectory(atPath: folder) == ["model"])
    }
  }

  @Test func `A file can replace a folder, and a folder a file`() throws {
    try withFolder { folder in
      try makeFolder(folder + "/one", "folder")
      try write("file", folder + "/two")
      try ItemReplacement.replace(folder + "/one", with: folder + "/two")
      #expect(try read(folder + "/one") == "file")
      try makeFolder(folder + "/two", "again")
      try ItemReplacement.replace(folder + "/one", with: folder + "/two")
      #expect(try read(folder + "/one/deep/a.txt") == "again")
    }
  }

  @Test func `A missing target is created`() throws {
    try withFolder { folder in
      try makeFolder(folder + "/new", "first")
      try ItemReplacement.replace(folder + "/model", with: folder + "/new")
      #expect(try read(folder + "/model/deep/a.txt") == "first")
    }
  }

  @Test func `An item replaces itself with itself`() throws {
    try withFolder { folder in
      try makeFolder(folder + "/model", "same")
      try ItemReplacement.replace(folder + "/model", with: folder + "/model")
      #expect(try read(folder + "/model/deep/a.txt") == "same")
    }
  }

  @Test func `A missing item replaces nothing`() throws {
    try withFolder { folder in
      try makeFolder(folder + "/model", "old")
      let error: FileError? = #expect(throws: FileError.self) {
        try ItemReplacement.replace(folder + "/model", with: folder + "/missing")
      }
      #expect(error?.code == ENOENT)
      #expect(try read(folder + "/model/deep/a.txt") == "old")
    }
  }

  @Test(.enabled(if: Self.hasOtherFileSystem))
  func `An item on another file system is first copied next to the target`() throws {
    try withFolder { folder in
      let other: String = Self.memory + "/FilesTests-\(UUID().uuidString)"
      defer { try? manager.removeItem(atPath: other) }
      try makeFolder(folder + "/model", "old")
      try makeFolder(other, "new")
      try ItemReplacement.replace(folder + "/model", with: other)
      #expect(try read(folder + "/model/deep/a.txt") == "new")
      #expect(!manager.fileExists(atPath: other))
      #expect(try manager.contentsOfDirectory(atPath: folder) == ["model"])
    }
  }

  private static let memory = "/dev/shm"

  /// Whether the system's RAM file system is separate from the file system of the temporary files.
  private static var hasOtherFileSystem: Bool {
    var (first, second) = (stat(), stat())
    return stat(memory, &first) == 0 && stat(NSTemporaryDirectory(), &second) == 0
      && first.st_dev != second.st_dev && access(memory, W_OK) == 0
  }
}
