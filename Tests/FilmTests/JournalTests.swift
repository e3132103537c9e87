import Foundation
import Imaging
import Testing

@testable import Film

/// Tests which segments of an interrupted film are used again.
@Suite
struct JournalTests {
  /// Calls the closure with a folder that has three finished segments.
  private func withSegments(_ body: (SegmentFolder, FilmJournal) throws -> Void) throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let folder = SegmentFolder(for: place.path + "/film.mp4")
    try folder.prepare()
    var journal = FilmJournal(settings: "settings")
    for index in 0..<3 {
      let (file, state) = (Data("segment \(index)".utf8), Data("state \(index)".utf8))
      try file.write(to: URL(fileURLWithPath: folder.segment(index)))
      try state.write(to: URL(fileURLWithPath: folder.state(index)))
      journal.segments.append(
        FilmJournal.Segment(
          frames: 120, begin: Int64(index) * 4_800_000, end: Int64(index + 1) * 4_800_000,
          hash: SegmentFolder.hash(of: file), stateHash: SegmentFolder.hash(of: state)))
    }
    try folder.write(journal)
    try body(folder, journal)
  }

  @Test("Complete segments are trusted, and only with the same settings")
  func trusted() throws {
    try withSegments { folder, _ in
      #expect(folder.read(settings: "settings")?.frameCount == 360)
      #expect(folder.read(settings: "other") == nil)
    }
  }

  @Test("A damaged segment and those after it are painted again")
  func damagedSegment() throws {
    try withSegments { folder, _ in
      try Data("segment X".utf8).write(to: URL(fileURLWithPath: folder.segment(1)))
      #expect(folder.read(settings: "settings")?.frameCount == 120)
    }
  }

  @Test("Painting goes on only after a segment whose state is there")
  func missingState() throws {
    try withSegments { folder, _ in
      try FileManager.default.removeItem(atPath: folder.state(2))
      #expect(folder.read(settings: "settings")?.frameCount == 240)
    }
  }

  @Test("Drafts of a killed process are removed, segments are not")
  func drafts() throws {
    try withSegments { folder, _ in
      let draft: String = folder.draft()
      try Data("half".utf8).write(to: URL(fileURLWithPath: draft))
      try folder.prepare()
      #expect(!FileManager.default.fileExists(atPath: draft))
      #expect(folder.read(settings: "settings")?.frameCount == 360)
    }
  }

  @Test("A state is the same after writing and reading; bytes of another length are none")
  func state() throws {
    var state = PaintingState()
    state.shotFrames = 17
    state.norms = [2, 0.5, -1, 3, 4]
    state.colors = [1, 2, 3]
    state.lastFrame = try Scene.picture(width: 10, height: 6)
    state.blended = (0..<240).map { UInt16($0 * 250) }
    var other = state
    other.lastFrame = nil
    other.shotFrames = 3
    state.others = [other]
    let bytes: Data = state.bytes
    let read = try #require(PaintingState(bytes))
    #expect(read.shotFrames == 17 && read.norms == state.norms && read.colors == state.colors)
    #expect(read.lastFrame == state.lastFrame && read.blended == state.blended)
    #expect(read.others.count == 1 && read.others.first?.shotFrames == 3)
    #expect(read.others.first?.lastFrame == nil && read.others.first?.blended == state.blended)
    #expect(PaintingState(bytes.dropLast()) == nil)
    #expect(PaintingState(bytes + [0, 0, 0]) == nil)
    #expect(PaintingState(Data(repeating: 0xFF, count: 64)) == nil)
  }
}
