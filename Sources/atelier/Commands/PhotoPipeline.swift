import Foundation
import Imaging
import Platform
import StyleTransfer

/// Photos on their way to paintings: while the network paints one, the next is decoded and the last is encoded
/// and written, so that a row of photos takes as long as the network alone where a core is free.
///
/// At most one photo waits to be painted, and one painting to be written; large ones wait for each other
/// instead, so that what fits the memory alone fits it in a row.
struct PhotoPipeline {
  /// The network for a photo.
  let painter: (Picture) throws -> Painter
  let fitting: Painter.Fitting
  let subject: StylizedSubject?
  let quality: Int
  let origin: PictureOrigin

  /// What one picture may take while another is painted, beside what it may take of memory that is free.
  private static let freeShare = 32

  /// Paints the photos and says of each what became of it, in their order.
  ///
  /// - Returns: how many could not be painted.
  /// - Throws: what went wrong with a single photo.
  func paint(_ jobs: [PhotoList.Job]) throws -> Int {
    let progress = ProgressDisplay(total: jobs.count)
    if jobs.count == 1 {
      progress.begin(jobs[0].photo)
      let painted: Painted = try paint(Picture(contentsOfFile: jobs[0].photo), jobs[0])
      progress.finish(try write(painted))
      return 0
    }
    var failures: Int = 0
    var next: Background<Picture?>?
    var last: Background<Result<Void, any Error>>?
    /// Ends the work on the last painting, and then says what went wrong with it or after it.
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
        let ahead: Picture? = next?.take() ?? nil
        next = nil
        // A large photo is read when nothing else is under way.
        if ahead == nil { settle() }
        let photo: Picture = try ahead ?? Picture(contentsOfFile: job.photo)
        next = index + 1 < jobs.count ? readAhead(jobs[index + 1]) : nil
        let painted: Painted = try paint(photo, job)
        settle()
        last = Background { Result { progress.finish(try write(painted)) } }
        if !Self.isSmall(painted.picture.size) { settle() }
      } catch {
        settle(error)
        if next == nil, index + 1 < jobs.count { next = readAhead(jobs[index + 1]) }
      }
    }
    settle()
    return failures
  }

  /// Decodes a photo beside the work on others. Nil for one that is to be read in its turn: a large one, one that
  /// is no file and can be read once only, and one that cannot be read, whose turn it is to say so.
  private func readAhead(_ job: PhotoList.Job) -> Background<Picture?> {
    Background {
      let type = try? FileManager.default.attributesOfItem(
        atPath: URL(fileURLWithPath: job.photo).resolvingSymlinksInPath().path)[.type]
      guard type as? FileAttributeType == .typeRegular,
        let header = try? Picture.probe(job.photo),
        Self.isSmall(PictureSize(width: header.width, height: header.height))
      else { return nil }
      return try? Picture(contentsOfFile: job.photo)
    }
  }

  /// Whether a picture, as pixels and as a file, is a small part of the memory that is free.
  private static func isSmall(_ size: PictureSize) -> Bool {
    let (area, overflows) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflows, area < 1 << 40 else { return false }
    let bytes: Int = area * 8
    return bytes <= SystemMemory.smallByteCount / 8
      || bytes <= SystemMemory().available / freeShare
  }

  /// A painting that is to be written.
  private struct Painted {
    let job: PhotoList.Job
    let picture: Picture
    let format: PictureFormat
    let photoSize: PictureSize
    let paintedSize: PictureSize
    let start: Date
  }

  private func paint(_ photo: Picture, _ job: PhotoList.Job) throws -> Painted {
    let start = Date()
    let painting: Painter.Painting = try painter(photo).paint(photo, fitting)
    let picture: Picture =
      try subject?.mask(of: photo).composed(
        photo.scaled(to: painting.picture.size), over: painting.picture) ?? painting.picture
    return Painted(
      job: job, picture: picture, format: try PictureFormat(path: job.painting),
      photoSize: photo.size, paintedSize: painting.paintedSize, start: start)
  }

  /// Writes a painting.
  ///
  /// - Returns: what became of the photo.
  private func write(_ painted: Painted) throws -> String {
    let path: String = painted.job.painting
    let data: Data = try painted.picture.encoded(
      as: painted.format, quality: quality, origin: origin)
    try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
    let result: PictureSize = painted.picture.size
    let detour: String =
      painted.paintedSize == result ? "" : ", painted at \(painted.paintedSize)"
    return "\(painted.job.photo) (\(painted.photoSize)) → \(path) (\(result)\(detour))"
      + " in \(Date().timeIntervalSince(painted.start).durationText)"
  }
}
