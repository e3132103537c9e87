import FFmpeg
import Film
import Foundation
import Imaging
import Platform
import Service

/// Stores uploaded films in the studio's private folder, and paints them, one at a time.
final class FilmService: Sendable {
  /// The state of a film.
  enum State: String, Codable, Sendable {
    /// Uploaded, and not painted yet.
    case ready
    case waiting, painting, done, stopped, failed

    /// Whether the film is being painted, or will be.
    var isBusy: Bool { self == .waiting || self == .painting }
  }

  /// A frame of a film, as a picture of the picture store.
  struct Still: Codable, Sendable {
    let picture: String
    /// The time of the frame in seconds.
    let time: Double
  }

  /// A size at which a film can be painted.
  struct Size: Codable, Sendable {
    /// The longer side of the frames.
    let size: Int
    /// The longer side at which the network paints them.
    let painted: Int
  }

  /// The settings with which a client orders the painting of a film.
  struct Order: Codable, Sendable {
    let style: String
    let network: StylizeOrder.Network
    let size: Int?
    let strength: Double
    let colors: StylizeOrder.Colors
    let stability: Double
  }

  /// A film as clients see it.
  struct Report: Codable, Sendable, Identifiable {
    let id: String
    /// The name of the client's file.
    let name: String
    let width: Int
    let height: Int
    let frames: Int
    let seconds: Double
    let audioTracks: Int
    let stills: [Still]
    /// The sizes at which the page offers to paint, from the film's own on.
    let sizes: [Size]
    var state: State = .ready
    /// Increases with each change, so that clients recognise old events.
    var version = 0
    var order: Order?
    /// The number of painted frames.
    var frame = 0
    /// Frames per second. Nil before the second report.
    var speed: Double?
    /// How long painting takes from now on, in seconds.
    var secondsLeft: Double?
    /// Sentences about tracks that could not be copied, and about damage.
    var notes: [String] = []
    var created = Date()
    var error: String?
  }

  /// Paints a film. Calls the closure with the share that is done.
  typealias Work =
    @Sendable (_ progress: @escaping @Sendable (Double) -> Void) async throws ->
    [String]

  private struct Held: ClientWork {
    var report: Report
    let client: String
    let bytes: Int
    var task: Task<Void, Never>?
    /// The time and the number of frames of the first report of the current painting.
    var begin: (time: ContinuousClock.Instant, frame: Int)?
    var told: ContinuousClock.Instant?
  }

  private let folder: PrivateFolder
  private let pictures: PictureStore
  private let findPrograms: @Sendable () throws -> FilmPrograms
  private let found = Locked<FilmPrograms?>(nil)
  private let board: WorkBoard<Held>
  private let queue = FairQueue(workers: 1, capacity: 16, capacityPerClient: 8)

  private static let mostFilms = 8
  private static let mostBytes = 2 << 30
  private static let reportInterval: Duration = .milliseconds(250)
  /// The formats that the studio reads. Other demuxers of ffmpeg read further files that a file names, such as playlists.
  private static let formats = [
    "mov", "mp4", "m4a", "3gp", "3g2", "mj2", "matroska", "webm", "avi", "mpegts", "mpeg",
    "mpegvideo",
    "flv", "asf", "ogg", "gif", "apng", "nut", "mxf", "h264", "hevc", "ivf",
  ]

  /// Creates a service without films.
  ///
  /// - Parameter programs: Finds ffmpeg, or throws the sentence that names the missing package.
  init(
    _ folder: PrivateFolder, _ pictures: PictureStore, _ events: EventHub,
    programs: @escaping @Sendable () throws -> FilmPrograms = { try FilmPrograms() }
  ) {
    self.folder = folder
    self.pictures = pictures
    board = WorkBoard(events, event: "film", noun: "film")
    findPrograms = programs
  }

  /// ffmpeg, once it is found.
  private func programs() throws -> FilmPrograms {
    if let known = found.withLock({ $0 }) { return known }
    let programs: FilmPrograms = try findPrograms()
    found.withLock { $0 = programs }
    return programs
  }

  /// A sentence that says which program is missing, or nil if films can be painted.
  var need: String? {
    do {
      _ = try programs()
      return nil
    } catch { return httpError(of: error).message }
  }

  /// Stores a film, and takes three pictures from it.
  ///
  /// - Parameter name: The name of the client's file, for sentences.
  func add(_ data: Data, name: String, client: String) throws -> Report {
    let programs: FilmPrograms = try programs()
    let id: String = makeIdentifier("v")
    let file: URL = film(id)
    do {
      do { try data.write(to: file) } catch {
        throw HTTPError(
          507, "no_disk",
          "The film of \(data.count / 1_000_000) MB cannot be stored: \(error.localizedDescription)"
        )
      }
      let description = try FilmDescription(file.path, programs: programs, formats: Self.formats)
      try pictures.limit.require(width: description.size.width, height: description.size.height)
      let (frames, seconds) = try description.measured(programs: programs)
      let report = Report(
        id: id, name: name, width: description.size.width, height: description.size.height,
        frames: frames, seconds: seconds,
        audioTracks: description.tracks.count { $0.kind == "audio" },
        stills: try stills(of: description, seconds: seconds, programs),
        sizes: Self.sizes(of: description.size))
      try removeOldest(for: data.count)
      board.works.withLock { $0.append(Held(report: report, client: client, bytes: data.count)) }
      return report
    } catch {
      try? FileManager.default.removeItem(at: file)
      guard let error = error as? FilmError else { throw error }
      throw FilmError(
        error.code, error.message.replacingOccurrences(of: "'\(file.path)'", with: "'\(name)'"))
    }
  }

  /// Returns a frame of each third of a film.
  private func stills(
    of film: FilmDescription, seconds: Double, _ programs: FilmPrograms
  ) throws -> [Still] {
    var stills: [Still] = []
    for third in 0..<3 {
      let time: Double = seconds * (Double(third) + 0.5) / 3
      guard let frame = try? film.frame(at: time, programs: programs) else { continue }
      let data: Data = try frame.picture.encoded(as: .jpeg, quality: 95)
      stills.append(Still(picture: try pictures.add(data).id, time: Double(frame.time) / 1e6))
    }
    guard !stills.isEmpty else {
      throw FilmError(.film, "No frame of '\(film.path)' could be read.")
    }
    return stills
  }

  private static func sizes(of film: PictureSize) -> [Size] {
    let own: Int = film.longerSide
    return ([own] + [1280, 960, 640, 480].filter { $0 < own }).map { side in
      var settings = FilmSettings()
      settings.longerSide = side
      let size: PictureSize = settings.size(for: film)
      return Size(size: side, painted: settings.paintedSize(for: size).longerSide)
    }
  }

  /// Removes the oldest films that are not being painted until another one fits.
  private func removeOldest(for bytes: Int) throws {
    while true {
      let (isFull, oldest): (Bool, String?) = board.works.withLock { held in
        let isFull: Bool =
          held.count >= Self.mostFilms || held.reduce(bytes) { $0 + $1.bytes } > Self.mostBytes
        return (isFull, held.first { !$0.report.state.isBusy }?.report.id)
      }
      guard isFull else { return }
      guard let oldest else {
        throw HTTPError(
          503, "too_many_films",
          "\(Self.mostFilms) films are being painted, which is the limit. Try again later.",
          headers: [("Retry-After", "60")])
      }
      try remove(oldest)
    }
  }

  /// Begins to paint a film, after the films that wait.
  func paint(_ id: String, _ order: Order, queueClient: FairQueue.Client, _ work: @escaping Work)
    throws -> Report
  {
    let isFree: Bool? = change(id, tells: false) { held in
      guard !held.report.state.isBusy else { return false }
      held.report.state = .waiting
      held.report.order = order
      (held.report.frame, held.report.speed, held.report.secondsLeft) = (0, nil, nil)
      (held.report.error, held.report.notes, held.begin) = (nil, [], nil)
      return true
    }
    guard isFree != nil else { throw board.missing }
    guard isFree == true else {
      throw HTTPError(409, "film_busy", "This film is being painted. Stop it first.")
    }
    let task = Task { [self] in
      do {
        let notes: [String] = try await queue.run(queueClient) { [self] in
          change(id) { $0.report.state = .painting }
          return try await work { [self] in tell(id, share: $0) }
        }
        change(id) { held in
          held.report.state = .done
          held.report.frame = held.report.frames
          held.report.notes = notes
        }
      } catch {
        let failure: HTTPError = httpError(of: error)
        change(id) { held in
          held.report.state = failure.status == 499 ? .stopped : .failed
          held.report.error = failure.status == 499 ? nil : failure.message
        }
      }
    }
    change(id) { $0.task = task }
    return try report(id)
  }

  private func tell(_ id: String, share: Double) {
    let now: ContinuousClock.Instant = .now
    let isDue: Bool? = change(id, tells: false) { held in
      let frames: Int = held.report.frames
      let frame = Int((share * Double(frames)).rounded())
      held.report.frame = max(held.report.frame, min(frames, frame))
      if let begin = held.begin, frame > begin.frame {
        let speed: Double =
          Double(frame - begin.frame) / max(1e-3, (now - begin.time) / .seconds(1))
        held.report.speed = speed
        held.report.secondsLeft = Double(max(0, frames - frame)) / speed
      } else if held.begin == nil {
        held.begin = (now, frame)
      }
      if let told = held.told, now - told < Self.reportInterval { return false }
      held.told = now
      return true
    }
    if isDue == true { change(id) { _ in } }
  }

  /// The films of a client. The newest one is last.
  func reports(of client: String) -> [Report] { board.reports(of: client) }

  /// Returns the film with the given identifier, as clients see it. Throws if there is none.
  func report(_ id: String) throws -> Report { try board.one(id).report }

  /// The file of an uploaded film.
  func film(_ id: String) -> URL { folder.location(id) }

  /// The file of a painted film.
  func painting(_ id: String) -> URL { folder.location("\(id)-painted.mp4") }

  /// Returns the file of a painted film. Throws if it is not painted.
  func finished(_ id: String) throws -> URL {
    let report: Report = try report(id)
    guard report.state == .done else {
      throw HTTPError(
        409, "not_done", report.error ?? "The film is not painted (\(report.state.rawValue)).")
    }
    return painting(id)
  }

  /// Ends the painting of a film. The frames that are finished stay for a later painting with the same settings.
  func stop(_ id: String) throws {
    // Cancelling may call back, so it is outside of the lock.
    try board.one(id).task?.cancel()
  }

  /// Ends the painting of a film, and removes all its files.
  func remove(_ id: String) throws {
    let one: Held? = board.works.withLock { held in
      held.firstIndex { $0.report.id == id }.map { held.remove(at: $0) }
    }
    guard let one else { throw board.missing }
    one.task?.cancel()
    for still in one.report.stills { pictures.remove(still.picture) }
    let files: [URL] = [
      film(id), painting(id), folder.location(".\(painting(id).lastPathComponent).film"),
    ]
    Task {
      // The painter may write until it ends.
      await one.task?.value
      for file in files { try? FileManager.default.removeItem(at: file) }
    }
  }

  /// Ends all paintings.
  func stopAll() {
    for id in board.identifiers { try? stop(id) }
  }

  /// Changes a film, and tells its client. Returns nil if the film was removed.
  @discardableResult
  private func change<Value: Sendable>(
    _ id: String, tells: Bool = true, _ body: (inout Held) -> Value
  ) -> Value? {
    board.change(id, tells: tells) { held in
      held.report.version += 1
      return body(&held)
    }
  }
}
