import FFmpeg
import Foundation
import Platform

/// Encodes frames into segments, and writes the journal after each of them.
///
/// `@unchecked Sendable`: the finishing thread uses it; the journal is read after that thread ended.
final class SegmentSink: FrameSink, @unchecked Sendable {
  private let folder: SegmentFolder
  private let settings: SegmentEncoder.Settings
  private let programs: FilmPrograms
  private let segmentLength: Int
  private var encoder: SegmentEncoder?
  private var draft: String = ""
  private var count: Int = 0
  private var begin: Int64 = 0
  /// The list of finished segments.
  private(set) var journal: FilmJournal

  init(
    _ folder: SegmentFolder, journal: FilmJournal, settings: SegmentEncoder.Settings,
    segmentLength: Int, programs: FilmPrograms
  ) {
    self.folder = folder
    self.journal = journal
    self.settings = settings
    self.segmentLength = segmentLength
    self.programs = programs
  }

  func prepare(for time: Int64, state: PaintingState) throws {
    if count >= segmentLength { try close(at: time, state: state) }
    if encoder == nil {
      draft = folder.draft()
      begin = time
      count = 0
      encoder = try SegmentEncoder(draft, begin: time, settings, programs: programs)
    }
  }

  func add(_ frame: FilmFrame) throws {
    try encoder?.add(frame)
    count += 1
  }

  func finish(at end: Int64, state: PaintingState) throws {
    if encoder != nil { try close(at: end, state: state) }
    journal.isComplete = true
    try folder.write(journal)
  }

  func cancel() {
    encoder?.cancel()
    encoder = nil
  }

  /// Writes the damage of the film into the journal, for a later run that continues with it.
  func note(damage: String?) throws {
    guard damage != journal.damage else { return }
    journal.damage = damage
    try folder.write(journal)
  }

  private func close(at end: Int64, state: PaintingState) throws {
    try encoder?.finish()
    encoder = nil
    let index: Int = journal.segments.count
    let bytes: Data = state.bytes
    let stateDraft: String = folder.draft()
    do { try bytes.write(to: URL(fileURLWithPath: stateDraft)) } catch {
      unlink(draft)
      unlink(stateDraft)
      throw FilmError(
        .output, "'\(folder.state(index))' cannot be written: \(error.localizedDescription)")
    }
    guard let hash = SegmentFolder.hash(of: draft), rename(draft, folder.segment(index)) == 0,
      rename(stateDraft, folder.state(index)) == 0
    else {
      throw FilmError(
        .output,
        "'\(folder.segment(index))' cannot be written: \(String(cString: strerror(errno))).")
    }
    journal.segments.append(
      FilmJournal.Segment(
        frames: count, begin: begin, end: end, hash: hash, stateHash: SegmentFolder.hash(of: bytes))
    )
    count = 0
    try folder.write(journal)
    folder.removeState(before: index)
  }
}
