import Foundation

@testable import KerasFormat

/// A model of Keras's in a folder of its own, read and run.
enum KerasRun {
  /// The folder with what Keras computed.
  static let expected: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Expected")

  /// The models beside the repository; the folder is missing elsewhere.
  static let shared: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/models")

  /// Whether the book's network is beside the repository.
  static var hasBookNetwork: Bool {
    let file = "starry-night/van-gogh-starry-night_style.h5"
    return FileManager.default.fileExists(atPath: shared.appendingPathComponent(file).path)
  }

  /// Writes files into a new folder, which the closure gets.
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
