import Foundation

/// A small whole file of another format than a Core ML message, with the files beside it.
package struct FileSeed: Sendable {
  /// What it is counted under.
  package let kind: String
  /// The path of the file or folder that is opened; its ending says which reader.
  package let name: String
  /// The contents of all files, by their paths.
  package var files: [String: [UInt8]]
  /// Numbers for inputs, by name; they are repeated where the input is larger.
  package var values: [String: [Double]]
  /// The inputs that hold sizes, positions and counts.
  var sizes: [String] = []

  init(
    kind: String, name: String, files: [String: [UInt8]], values: [String: [Double]] = [:],
    sizes: [String] = []
  ) {
    self.kind = kind
    self.name = name
    self.files = files
    self.values = values
    self.sizes = sizes
  }
}

/// Folders for what one mutant needs; in memory where the system has such a place.
package enum Scratch {
  static let root: URL = {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let base: URL =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    return base.appendingPathComponent("mutants-\(getpid())", isDirectory: true)
  }()

  /// A new, empty folder; one of the same name is emptied.
  package static func folder(_ name: String) throws -> URL {
    let folder: URL = root.appendingPathComponent(name, isDirectory: true)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Removes the folders of a process.
  package static func remove(of process: pid_t) {
    let name = "mutants-\(process)"
    try? FileManager.default.removeItem(
      at: root.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true))
  }
}

extension FileSeed {
  /// Writes the files into a folder.
  ///
  /// - Returns: the file or folder that is to be opened.
  package func write(into folder: URL) throws -> URL {
    for (path, bytes) in files {
      let file: URL = folder.appendingPathComponent(path)
      if path.contains("/") {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      }
      try Data(bytes).write(to: file)
    }
    return folder.appendingPathComponent(name)
  }
}
