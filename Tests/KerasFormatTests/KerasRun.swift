import Foundation

@testable import KerasFormat

/// The folders of the tests: recorded results, shared models, and temporary folders for Keras models.
enum KerasRun {
  /// The folder with Keras's results.
  static let expected: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Expected")

  /// The folder of shared models next to the repository, if it exists.
  static let shared: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/models")

  /// Whether the book's style network is available (see BookNetworkTests).
  static var hasBookNetwork: Bool {
    let file = "starry-night/van-gogh-starry-night_style.h5"
    return FileManager.default.fileExists(atPath: shared.appendingPathComponent(file).path)
  }

  /// Writes files into a new folder and passes the folder to the closure.
  static func inFolder<Result>(_ files: [String: Data], _ body: (URL) throws -> Result) throws
    -> Result
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("keras-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, data) in files { try data.write(to: folder.appendingPathComponent(name)) }
    return try body(folder)
  }
}
