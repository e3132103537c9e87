import Foundation

/// A small intact file of a format other than a Core ML message, with the files that belong to it.
package struct FileSeed: Sendable {
  /// The label for statistics.
  package let kind: String
  /// The path of the file or folder to open, relative to the seed's folder. The extension of the path selects the
  /// reader.
  package let name: String
  /// The contents of all files, by their paths.
  package var files: [String: [UInt8]]
  /// Values for the inputs, by input name. If an input has more elements than values here, the values are repeated.
  package var values: [String: [Double]]
  /// The names of the inputs that hold sizes, indices and counts.
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

/// Temporary folders for the files of one mutant. They are in memory if the system has a RAM file system.
package enum Scratch {
  static let root: URL = {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let base: URL =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    return base.appendingPathComponent("mutants-\(getpid())", isDirectory: true)
  }()

  /// Creates an empty folder. If a folder of the same name exists, empties it.
  package static func folder(_ name: String) throws -> URL {
    let folder: URL = root.appendingPathComponent(name, isDirectory: true)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Removes all folders that a process created.
  package static func remove(of process: pid_t) {
    let name = "mutants-\(process)"
    try? FileManager.default.removeItem(
      at: root.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true))
  }
}

extension FileSeed {
  /// Writes the files into a folder.
  ///
  /// - Returns: the location of the file or folder to open.
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
