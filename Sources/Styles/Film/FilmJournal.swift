import CFilm
import FFmpeg
import Files
import Foundation
import Glibc

/// The list of the finished segments of a film, in a folder beside the result. It is written after each segment.
struct FilmJournal: Codable, Sendable {
  /// A finished segment.
  struct Segment: Codable, Sendable {
    /// The number of frames.
    var frames: Int
    /// The time of the first frame and the end of the last one, in microseconds since the beginning of the film.
    var begin: Int64
    var end: Int64
    /// The hash of the segment's file.
    var hash: UInt64
    /// The hash of the state after the segment.
    var stateHash: UInt64
  }

  /// The version of this format and of the arithmetic that makes the frames.
  static let version = 5

  /// All settings that change the frames, as text.
  var settings: String
  var version: Int = Self.version
  var segments: [Segment] = []
  /// Whether the last segment ends the film.
  var isComplete = false
  /// A sentence that says which part of the film could not be read, or nil.
  var damage: String?

  /// The number of finished frames.
  var frameCount: Int { segments.reduce(0) { $0 + $1.frames } }
}

/// The folder of a film that is being painted.
struct SegmentFolder: Sendable {
  /// The path of the folder.
  let path: String

  /// Returns the folder for a result.
  init(for result: String) {
    let file = URL(fileURLWithPath: result)
    path =
      file.deletingLastPathComponent().appendingPathComponent(".\(file.lastPathComponent).film")
      .path
  }

  /// Creates the folder. Removes files of a process that ended while it wrote them.
  func prepare() throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw FilmError(
        .output,
        "The folder '\(path)' for finished segments cannot be made: \(error.localizedDescription)")
    }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    where name.hasPrefix("draft-") {
      unlink("\(path)/\(name)")
    }
  }

  func segment(_ index: Int) -> String { "\(path)/segment-\(index).nut" }
  func state(_ index: Int) -> String { "\(path)/state-\(index)" }
  var list: String { "\(path)/list.txt" }
  private var journal: String { "\(path)/journal.json" }

  /// Returns a new name for a file that is not complete yet. The name is unique, because the ffmpeg of a killed process
  /// may still write to its own draft.
  func draft() -> String { "\(path)/draft-\(UUID().uuidString)" }

  /// Writes the journal.
  func write(_ journal: FilmJournal) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try WholeFile.write(encoder.encode(journal), to: self.journal)
  }

  /// Reads the journal and checks the files that it lists. Leaves out the first damaged segment and those after it.
  /// Then leaves out segments at the end until there is an undamaged state from which painting can continue.
  ///
  /// - Returns: Nil if there is no journal of the same settings.
  func read(settings: String) -> FilmJournal? {
    guard let bytes = FileManager.default.contents(atPath: journal),
      var found = try? JSONDecoder().decode(FilmJournal.self, from: bytes),
      found.version == FilmJournal.version, found.settings == settings
    else { return nil }
    let listed: Int = found.segments.count
    var trusted: Int = 0
    while trusted < listed, Self.hash(of: segment(trusted)) == found.segments[trusted].hash {
      trusted += 1
    }
    if trusted == listed, found.isComplete { return found }
    while trusted > 0, Self.hash(of: state(trusted - 1)) != found.segments[trusted - 1].stateHash {
      trusted -= 1
    }
    found.segments.removeSubrange(trusted...)
    found.isComplete = false
    return found
  }

  /// Removes a state that is no longer needed. The states of the last four segments, and every 32nd state, stay for the
  /// case that the last segments are damaged.
  func removeState(before index: Int) {
    let old: Int = index - 4
    if old >= 0, old % 32 != 31 { unlink(state(old)) }
  }

  /// Removes the folder with all segments.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the hash of a file. Nil if it cannot be read.
  static func hash(of path: String) -> UInt64? {
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    else {
      return nil
    }
    return hash(of: bytes)
  }

  static func hash(of bytes: Data) -> UInt64 {
    bytes.withUnsafeBytes { cf_hash($0.baseAddress, Int64($0.count), 0) }
  }
}
