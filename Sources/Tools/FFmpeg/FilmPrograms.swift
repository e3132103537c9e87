import Foundation

/// The programs ffmpeg and ffprobe, which read and write films.
public struct FilmPrograms: Sendable {
  /// The path of ffmpeg.
  public let ffmpeg: String
  /// The path of ffprobe.
  public let ffprobe: String
  /// Finds the programs on the `PATH`.
  ///
  /// - Throws: ``FilmError``, which names the package, if a program is missing.
  public init() throws {
    ffmpeg = try Self.path(of: "ffmpeg")
    ffprobe = try Self.path(of: "ffprobe")
  }

  /// The major version of ffmpeg, such as 5. Nil for a development version. Each access runs the program, which takes some
  /// 50 milliseconds.
  package var version: Int? {
    let text: String = (try? ChildProcess.output(of: ffmpeg, ["-version"]))?.text ?? ""
    let word: Substring = text.split(separator: " ").dropFirst(2).first ?? ""
    return Int(word.drop { !$0.isNumber }.prefix { $0.isNumber })
  }

  private static func path(of name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(
      separator: ":")
    for folder in folders {
      let path: String = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw FilmError(
      .program,
      "The program \(name), which reads and writes films, is missing: install it with `apt-get"
        + " install ffmpeg`.")
  }
}
