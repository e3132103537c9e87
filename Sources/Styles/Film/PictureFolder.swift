import FFmpeg
import Foundation
import Imaging

/// The picture files of a folder, as the frames of a film in the order of their names. Numbers in names are sorted by
/// value.
///
/// `@unchecked Sendable`: one thread calls ``next()``.
final class PictureFolder: FrameSource, @unchecked Sendable {
  private let files: [URL]
  private let size: PictureSize
  private let microseconds: Double
  private var index: Int
  private var unreadable: [String] = []

  init(_ files: [URL], size: PictureSize, rate: Double, begin: Int64) {
    self.files = files
    self.size = size
    microseconds = 1e6 / rate
    index = max(0, Int((Double(begin) / microseconds).rounded()))
  }

  /// Returns the files of a folder. Nil if the path is no folder.
  static func files(_ path: String) throws -> [URL]? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else {
      return nil
    }
    let types: Set<String> = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp", "ppm"]
    let files: [URL] = try FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: path), includingPropertiesForKeys: nil
    ).filter {
      types.contains($0.pathExtension.lowercased()) && !$0.lastPathComponent.hasPrefix(".")
    }
    guard !files.isEmpty else {
      throw FilmError(.film, "The folder '\(path)' has no pictures that could be frames.")
    }
    return files.sorted {
      $0.lastPathComponent.compare($1.lastPathComponent, options: .numeric) == .orderedAscending
    }
  }

  func next() throws -> FilmFrame? {
    while index < files.count {
      defer { index += 1 }
      guard let picture = try? Picture(contentsOf: files[index]) else {
        unreadable.append(files[index].lastPathComponent)
        continue
      }
      return FilmFrame(
        try picture.withoutAlpha.scaled(to: size),
        time: Int64((Double(index) * microseconds).rounded()))
    }
    return nil
  }

  func stop() {}

  var damage: String? {
    unreadable.first.map {
      "\(unreadable.count == 1 ? "1 picture" : "\(unreadable.count) pictures") could not be read and"
        + " \(unreadable.count == 1 ? "is" : "are") left out, the first one: '\($0)'."
    }
  }
}

/// Writes frames as picture files with numbers as names. After an interruption, overwrites the files after the last
/// finished segment.
///
/// `@unchecked Sendable`: the finishing thread uses it; the journal is read after that thread ended.
final class PictureFolderSink: FrameSink, @unchecked Sendable {
  private let path: String
  private let folder: SegmentFolder
  private let segmentLength: Int
  private var journal: FilmJournal
  private var count: Int = 0
  private var total: Int
  private var begin: Int64 = 0

  init(_ path: String, _ folder: SegmentFolder, journal: FilmJournal, segmentLength: Int) throws {
    self.path = path
    self.folder = folder
    self.journal = journal
    self.segmentLength = segmentLength
    total = journal.frameCount
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw FilmError(.output, "The folder '\(path)' cannot be made: \(error.localizedDescription)")
    }
  }

  /// Returns the file of a frame. `index` is the number of the frame, from 0.
  static func file(_ path: String, _ index: Int) -> String {
    let number = String(index)
    return "\(path)/frame-\(String(repeating: "0", count: max(0, 6 - number.count)) + number).png"
  }

  func prepare(for time: Int64, state: PaintingState) throws {
    if count >= segmentLength { try close(at: time, state: state) }
    if count == 0 { begin = time }
  }

  func add(_ frame: FilmFrame) throws {
    let data: Data = try frame.picture.encoded(as: .png)
    try Picture.writeAtomically(data, toFile: Self.file(path, total))
    total += 1
    count += 1
  }

  func finish(at end: Int64, state: PaintingState) throws {
    if count > 0 { try close(at: end, state: state) }
    journal.isComplete = true
    try folder.write(journal)
  }

  func cancel() {}

  private func close(at end: Int64, state: PaintingState) throws {
    let index: Int = journal.segments.count
    let bytes: Data = state.bytes
    try bytes.write(to: URL(fileURLWithPath: folder.state(index)), options: .atomic)
    // A file with the numbers of the frames takes the place of an encoded segment, so that the journal can check it.
    let names = Data((total - count..<total).map { "\($0)\n" }.joined().utf8)
    try names.write(to: URL(fileURLWithPath: folder.segment(index)), options: .atomic)
    journal.segments.append(
      FilmJournal.Segment(
        frames: count, begin: begin, end: end, hash: SegmentFolder.hash(of: names),
        stateHash: SegmentFolder.hash(of: bytes)))
    count = 0
    try folder.write(journal)
    folder.removeState(before: index)
  }
}
