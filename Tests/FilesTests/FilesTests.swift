import Foundation
import Testing

@testable import Files

@Suite struct FilesTests {
  private func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("FilesTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `A written file has all its bytes, and no other file remains`() throws {
    try withFolder { folder in
      let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
      try WholeFile.write(bytes, to: folder + "/a.bin")
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/a.bin")) == bytes)
      #expect(try names(folder) == ["a.bin"])
    }
  }

  @Test func `A discarded draft leaves no file`() throws {
    try withFolder { folder in
      do {
        let draft = try Draft(of: folder + "/a.txt")
        #expect(try names(folder).count == 1)
        _ = draft.path
      }
      #expect(try names(folder).isEmpty)
    }
  }

  @Test func `A killed writer's files are removed by the next draft of the same target`() throws {
    try withFolder { folder in
      try write("half", folder + "/.a.txt.0a1b2c3d.partial")
      try FileManager.default.createDirectory(
        atPath: folder + "/.a.txt.00000000.partial/deep", withIntermediateDirectories: true)
      try write("other", folder + "/.b.txt.0a1b2c3d.partial")
      try write("no draft", folder + "/.a.txt.notes.partial")
      try WholeFile.write(Data("whole".utf8), to: folder + "/a.txt")
      #expect(
        try names(folder) == [".a.txt.notes.partial", ".b.txt.0a1b2c3d.partial", "a.txt"])
    }
  }

  @Test func `A draft that is still being written is not removed`() throws {
    try withFolder { folder in
      let first = try Draft(of: folder + "/a.txt")
      try WholeFile.write(Data("second".utf8), to: folder + "/a.txt")
      #expect(try names(folder).count == 2)
      try Array("first".utf8).withUnsafeBytes { try first.write($0) }
      try first.place()
      #expect(try read(folder + "/a.txt") == "first")
      #expect(try names(folder) == ["a.txt"])
    }
  }

  @Test func `A folder replaces another, and the target exists at every moment`() throws {
    try withFolder { folder in
      let target: String = folder + "/model"
      try FileManager.default.createDirectory(
        atPath: target, withIntermediateDirectories: true)
      try write("0", target + "/number")
      let isDone = Flag()
      let misses = Counter()
      let watcher = Thread {
        while !isDone.isSet { if access(target + "/number", F_OK) != 0 { misses.add() } }
        isDone.confirm()
      }
      watcher.start()
      for number in 1...200 {
        let draft = try Draft(of: target, isFolder: true)
        try write("\(number)", draft.path + "/number")
        try draft.place()
      }
      isDone.set()
      #expect(misses.value == 0)
      #expect(try read(target + "/number") == "200")
      #expect(try names(folder) == ["model"])
    }
  }

  @Test func `If names cannot be exchanged, a folder is replaced in two steps`() throws {
    try withFolder { folder in
      let target: String = folder + "/model"
      try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
      let draft = try Draft(of: target, isFolder: true)
      try write("new", draft.path + "/file")
      try draft.replaceInTwoSteps()
      #expect(try read(target + "/file") == "new")
      #expect(try names(folder) == ["model"])
    }
  }

  @Test func `An interrupted replacement is undone by the next draft`() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/.model.0a1b2c3d.replaced", withIntermediateDirectories: true)
      try write("old", folder + "/.model.0a1b2c3d.replaced/file")
      do { _ = try Draft(of: folder + "/model", isFolder: true) }
      #expect(try read(folder + "/model/file") == "old")
      #expect(try names(folder) == ["model"])
    }
  }

  @Test func `A missing folder and a blocking folder are reported with the system's message`()
    throws
  {
    try withFolder { folder in
      let missing = #expect(throws: FileError.self) {
        try WholeFile.write(Data(), to: folder + "/no/a.txt")
      }
      #expect(missing?.reason == "No such file or directory")
      try FileManager.default.createDirectory(
        atPath: folder + "/b/inside", withIntermediateDirectories: true)
      let inTheWay = #expect(throws: FileError.self) {
        try WholeFile.write(Data(), to: folder + "/b")
      }
      #expect(inTheWay?.description.contains("cannot be put in its place") == true)
      #expect(try names(folder) == ["b"])
    }
  }

  @Test func `A name as long as file systems allow can be written`() throws {
    try withFolder { folder in
      let name = String(repeating: "ä", count: 125) + ".txt"
      try WholeFile.write(Data("x".utf8), to: "\(folder)/\(name)")
      #expect(try names(folder) == [name])
    }
  }

  @Test func `A folder's lock is exclusive, and released afterwards`() throws {
    try withFolder { folder in
      do {
        let lock = try FolderLock(folder)
        #expect(throws: FolderLock.Taken.self) { try FolderLock(folder) }
        withExtendedLifetime(lock) {}
      }
      #expect(try names(folder).isEmpty)
      _ = try FolderLock(folder)
    }
  }

  @Test func `A lock file that remains after a crash blocks nobody`() throws {
    try withFolder { folder in
      try write("", folder + "/lock")
      _ = try FolderLock(folder)
      #expect(throws: FileError.self) { try FolderLock(folder + "/missing") }
    }
  }
}

/// A flag that one thread sets and another waits for.
private final class Flag: @unchecked Sendable {
  // `@unchecked Sendable`: the state is read and written under the condition's lock.
  private let condition = NSCondition()
  private var state = false
  private var isConfirmed = false

  var isSet: Bool { condition.withLock { state } }

  func set() {
    condition.withLock { state = true }
    condition.lock()
    while !isConfirmed { condition.wait() }
    condition.unlock()
  }

  func confirm() {
    condition.withLock {
      isConfirmed = true
      condition.broadcast()
    }
  }
}

/// A counter for several threads.
private final class Counter: @unchecked Sendable {
  // `@unchecked Sendable`: the number is read and written under the lock.
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}
