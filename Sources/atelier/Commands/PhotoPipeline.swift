import CoreML
import Foundation
import Imaging
import Platform
import StyleTransfer

/// Paints a list of photos as a pipeline. While the network paints one photo, the next photo is decoded, and the last
/// painting is encoded and written. If a core is free for decoding and encoding, the list takes no longer than the
/// network alone.
///
/// At most one photo waits to be painted, and at most one painting waits to be written. Large photos are processed one
/// at a time. So a list needs no more memory than the largest photo of the list.
struct PhotoPipeline {
  let painters: PhotoPainters
  let files: PictureOptions
  let origin: PictureOrigin

  /// A picture is small if it takes at most 8 MiB, or at most 1/`freeShare` of the free memory.
  private static let freeShare = 32

  /// The result for one photo, for JSON.
  struct Report: Encodable, Sendable {
    let photo: String
    let painting: String
    let width: Int
    let height: Int
    /// The number of pictures of an animation. Nil for a single picture.
    let pictures: Int?
    let seconds: Double
  }

  /// Paints the photos in the order of the list, and prints the result of each.
  ///
  /// - Parameter isSilent: Whether to print no lines for paintings.
  /// - Returns: The paintings, and the number of photos that could not be painted.
  /// - Throws: If there is only one photo, the error that occurred with it.
  func paint(_ jobs: [PhotoList.Job], isSilent: Bool) throws -> (
    reports: [Report], failures: Int
  ) {
    let progress = ProgressDisplay(total: jobs.count)
    let reports: Locked<[Report]> = Locked([])
    func finish(_ painted: Painted) throws {
      let (report, line) = try write(painted)
      reports.withLock { $0.append(report) }
      progress.finish(isSilent ? nil : line)
    }
    if jobs.count == 1 {
      progress.begin(jobs[0].photo)
      try finish(paint(read(jobs[0]), jobs[0], progress))
      return (reports.withLock { $0 }, 0)
    }
    var failures: Int = 0
    var next: Background<SourcePhoto?>?
    var last: Background<Result<Void, any Error>>?
    /// Waits until the last painting is written. Then reports an error that occurred in writing that painting, and
    /// `error`.
    func settle(_ error: (any Error)? = nil) {
      var errors: [any Error] = []
      if case .failure(let error) = last?.take() { errors.append(error) }
      last = nil
      if let error { errors.append(error) }
      for error in errors {
        failures += 1
        progress.fail("atelier stylize: \(sentence(of: error))")
      }
    }
    for (index, job) in jobs.enumerated() {
      progress.begin(job.photo)
      do {
        let ahead: SourcePhoto? = next?.take() ?? nil
        next = nil
        // A photo that was not decoded in advance, such as a large one, is read when no other work runs.
        if ahead == nil { settle() }
        let photo: SourcePhoto = try ahead ?? read(job)
        next = index + 1 < jobs.count ? readAhead(jobs[index + 1]) : nil
        let painted: Painted = try paint(photo, job, progress)
        settle()
        last = Background { Result { try finish(painted) } }
        if !Self.isSmall(painted.painting.size) { settle() }
      } catch {
        settle(error)
        if next == nil, index + 1 < jobs.count { next = readAhead(jobs[index + 1]) }
      }
    }
    settle()
    return (reports.withLock { $0 }, failures)
  }

  private func read(_ job: PhotoList.Job) throws -> SourcePhoto {
    try SourcePhoto(
      job.photo, for: PictureFormat(path: job.painting), keepsDepth: painters.keepsDepth)
  }

  /// Decodes a photo while other photos are painted and written. The result is nil if the photo must be read later,
  /// just before it is painted. This is the case for three kinds of photos. A large photo would need too much memory. A
  /// pipe can only be read once. A photo with an error is read again later, so that errors are reported in the order of
  /// the photos.
  private func readAhead(_ job: PhotoList.Job) -> Background<SourcePhoto?> {
    Background {
      let type = try? FileManager.default.attributesOfItem(
        atPath: URL(fileURLWithPath: job.photo).resolvingSymlinksInPath().path)[.type]
      guard type as? FileAttributeType == .typeRegular,
        let header = try? Picture.probe(job.photo), header.pageCount == 1,
        Self.isSmall(PictureSize(width: header.width, height: header.height))
      else { return nil }
      return try? read(job)
    }
  }

  /// Returns whether the pixels and the file of a picture of the given size take only a small part of the free memory.
  private static func isSmall(_ size: PictureSize) -> Bool {
    let (area, overflows) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflows, area < 1 << 40 else { return false }
    let bytes: Int = area * 8
    return bytes <= SystemMemory.smallByteCount / 8
      || bytes <= SystemMemory().available / freeShare
  }

  /// A painting that is not written yet.
  private struct Painted {
    let job: PhotoList.Job
    let painting: SourcePhoto
    let format: PictureFormat
    let photoSize: PictureSize
    let paintedSize: PictureSize
    let start: Date
  }

  private func paint(
    _ photo: SourcePhoto, _ job: PhotoList.Job, _ progress: ProgressDisplay
  ) throws -> Painted {
    let start = Date()
    let report: (@Sendable (Double) -> Void)? =
      progress.isTerminal ? { @Sendable in progress.show(share: $0) } : nil
    let (painting, paintedSize) = try painters.paint(photo, report)
    return Painted(
      job: job, painting: painting, format: try PictureFormat(path: job.painting),
      photoSize: photo.size, paintedSize: paintedSize, start: start)
  }

  /// Writes a painting to its file, with the metadata of its photo.
  ///
  /// - Returns: The result for JSON, and the line to print for the photo.
  private func write(_ painted: Painted) throws -> (Report, String) {
    let path: String = painted.job.painting
    let result: PictureSize = painted.painting.size
    try files.write(
      result, to: path, as: painted.format, metadataOf: painted.job.photo, origin: origin
    ) { try painted.painting.encoded(as: painted.format, $0) }
    let detour: String =
      painted.paintedSize == result ? "" : ", painted at \(painted.paintedSize)"
    let pictures: Int? = painted.painting.animation?.pictures.count
    let count: String = pictures.map { ", \($0) pictures" } ?? ""
    let seconds: Double = Date().timeIntervalSince(painted.start)
    return (
      Report(
        photo: painted.job.photo, painting: path, width: result.width, height: result.height,
        pictures: pictures, seconds: (seconds * 1000).rounded() / 1000),
      "\(painted.job.photo) (\(painted.photoSize)) → \(path) (\(result)\(detour)\(count))"
        + " in \(seconds.durationText)"
    )
  }
}
