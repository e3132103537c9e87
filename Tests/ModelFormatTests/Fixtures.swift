import Foundation

/// The locations of models that are not part of the project.
enum Fixtures {
  static let shared: URL = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_SHARED"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return root.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
  }()

  /// Every `.mlmodel` file in the shared folder, by its path relative to `models`.
  static let modelPaths: [String] = {
    let models = shared.appendingPathComponent("models")
    let all = FileManager.default.enumerator(atPath: models.path)?.allObjects as? [String]
    return (all ?? []).filter { $0.hasSuffix(".mlmodel") }.sorted()
  }()

  static var haveModels: Bool { !modelPaths.isEmpty }

  static func model(_ path: String) -> URL {
    shared.appendingPathComponent("models").appendingPathComponent(path)
  }

  /// Calls `body` with an empty folder and removes the folder afterwards.
  static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ModelFormatTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
