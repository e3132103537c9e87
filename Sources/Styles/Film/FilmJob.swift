import FFmpeg
import Foundation
import Imaging
import Platform
import StyleTransfer

/// Paints a film. If the job is interrupted in any way, the same job continues after the last finished segment. The
/// result then has the same frames as without the interruption.
public struct FilmJob: Sendable {
  /// The name of standard input and standard output as a film.
  public static let standardStream = "-"

  /// The film's file, a folder of pictures, a camera such as `/dev/video0`, or ``standardStream``.
  public let input: String
  /// The file of the result, a folder for pictures, or ``standardStream``.
  public let output: String
  /// How frames are painted.
  public let style: FrameStyle
  /// The style into which the first one changes from the beginning to the end of the film. Nil if it stays.
  public let lastStyle: FrameStyle?
  /// How the film is read and written.
  public let settings: FilmSettings
  private let programs: FilmPrograms?

  /// Creates a job.
  ///
  /// - Throws: An error that names the package if ffmpeg is needed and missing, or if settings do not fit.
  public init(
    _ input: String, to output: String, style: FrameStyle, changingTo lastStyle: FrameStyle? = nil,
    settings: FilmSettings
  ) throws {
    self.input = input
    self.output = output
    self.style = style
    self.lastStyle = lastStyle
    self.settings = settings
    let isRaw: Bool = input == Self.standardStream
    let needsNone: Bool =
      try (isRaw || PictureFolder.files(input) != nil) && Self.isFolderOrStream(output)
    programs = needsNone ? nil : try FilmPrograms()
    guard !isRaw || settings.rawSize != nil else {
      throw FilmError(
        .settings, "Frames on standard input have no header; give their size with --raw WxH.")
    }
    guard 0...1 ~= settings.stability else {
      throw FilmError(
        .settings, "The stability is \(settings.stability), expected a number from 0 to 1.")
    }
  }

  /// Returns whether a result is a folder of pictures or raw frames: the path is `-`, or has no file name extension. An
  /// extension has a letter, so `wave-0.85` has none.
  static func isFolderOrStream(_ path: String) -> Bool {
    path == standardStream || path.hasSuffix("/")
      || !URL(fileURLWithPath: path).pathExtension.contains(where: \.isLetter)
  }

  /// The input, opened: its properties, and a function that makes its source of frames.
  private struct Input {
    var film: FilmDescription?
    var size: PictureSize
    var count: Int?
    /// Makes a source of the frames from a time on, or of a single frame.
    var makeSource: (_ begin: Int64, _ isSingle: Bool) throws -> any FrameSource
    var frameDuration: Int64
  }

  private func open() throws -> Input {
    let rate: Double = settings.rateOrUsual
    let microseconds = Int64((1e6 / rate).rounded())
    if input == Self.standardStream, let raw = settings.rawSize {
      let side: Int? = settings.longerSide
      return Input(
        film: nil, size: side.map { raw.scaled(toLongerSide: $0) } ?? raw, count: nil,
        makeSource: { _, _ in RawFrames(raw, rate: rate, longerSide: side) },
        frameDuration: microseconds)
    }
    if let files = try PictureFolder.files(input) {
      let first = try Picture(contentsOf: files[0])
      let size: PictureSize = settings.size(for: first.size)
      return Input(
        film: nil, size: size, count: files.count,
        makeSource: { begin, _ in PictureFolder(files, size: size, rate: rate, begin: begin) },
        frameDuration: microseconds)
    }
    let programs: FilmPrograms = try self.programs ?? FilmPrograms()
    let film = try FilmDescription(input, programs: programs)
    let size: PictureSize = settings.size(for: film.size)
    let own: Double = film.frameRate.map { Double($0.numerator) / Double($0.denominator) } ?? rate
    let perSecond: Double = settings.rate == nil ? own : rate
    let count: Int? = film.duration.map { duration in
      let length: Double = max(0, min(settings.to ?? duration, duration) - (settings.from ?? 0))
      return Int(min(1e12, length * perSecond).rounded())
    }
    let wanted: FilmSettings = settings
    return Input(
      film: film, size: size, count: count,
      makeSource: { begin, isSingle in
        try FilmDecoder(
          film,
          FilmDecoder.Settings(
            size: size, rate: wanted.rate, range: begin..<wanted.range.upperBound,
            seeks: !film.isCamera, isSingle: isSingle && wanted.rate == nil),
          programs: programs)
      }, frameDuration: Int64((1e6 / perSecond).rounded()))
  }

  /// Paints a single frame.
  ///
  /// - Parameter time: Seconds since the beginning of the film.
  public func still(at time: Double) throws -> Picture {
    let input: Input = try open()
    if let duration = input.film?.duration, time > duration {
      throw FilmError(
        .film, "'\(self.input)' has no frame at \(time) s; it ends after \(duration) s.")
    }
    let source = try input.makeSource(Int64((time * 1e6).rounded()), true)
    defer { source.stop() }
    guard let whole = try source.next() else {
      throw FilmError(.film, "'\(self.input)' has no frame at \(time) s.")
    }
    let reduction: Int = settings.reduction(for: whole.picture.size)
    let frame = FilmFrame(try whole.picture.reduced(by: reduction), time: whole.time)
    var finisher = FrameFinisher(
      style, stability: settings.stability, size: frame.picture.size, state: PaintingState())
    var state = PaintingState()
    state.shotFrames = 1
    let mask: (any FrameSource)? = try maskSource(input, at: frame.time)
    defer { mask?.stop() }
    return try finisher.finish(
      .whole(style.painter.painter.paint(frame.picture).picture), of: frame, motion: nil,
      frameMask: style.weights(of: frame.picture, maskFrame: mask?.next()?.picture), state: &state
    ).enlarged(along: whole.picture, reduced: frame.picture, by: reduction)
  }

  /// Returns the frames of the mask's film from a time on, in the size of the painted frames. Nil if the mask is no
  /// film.
  private func maskSource(_ input: Input, at begin: Int64) throws -> (any FrameSource)? {
    guard case .film(let film) = style.mask else { return nil }
    let programs: FilmPrograms = try self.programs ?? FilmPrograms()
    let rate: String? =
      settings.rate ?? input.film?.frameRate.map { "\($0.numerator)/\($0.denominator)" }
    return RepeatingMask(
      try FilmDecoder(
        film,
        FilmDecoder.Settings(
          size: settings.paintedSize(for: input.size), rate: rate, range: begin..<Int64.max,
          seeks: false),
        programs: programs))
  }

  /// Paints the film.
  ///
  /// - Parameter report: Called after each frame. If it returns false, painting ends; finished segments stay.
  public func run(_ report: @escaping @Sendable (FilmProgress) -> Bool) throws -> FilmResult {
    let input: Input = try open()
    var notes: [String] = []
    if let film = input.film, film.isHDR {
      notes.append("'\(film.path)' has a high dynamic range, which is brought to sRGB.")
    }
    // Plan the network first, so that frames that do not fit into memory are refused before anything is written.
    let painter: Painter = style.painter.painter
    let paintedSize: PictureSize = settings.paintedSize(for: input.size)
    try painter.requireMemory(forPaintingAt: painter.paintingSize(for: paintedSize))
    if let last: Painter = lastStyle?.painter.painter {
      try last.requireMemory(forPaintingAt: last.paintingSize(for: paintedSize))
    }
    if output == Self.standardStream {
      let source = try input.makeSource(settings.range.lowerBound, false)
      let (pipeline, went, painted) = try run(
        input, source, RawSink(), PaintingState(), done: 0, report)
      return FilmResult(
        frames: painted, painted: painted, size: input.size, times: pipeline.times,
        notes: notes + [source.damage].compactMap { $0 }, wasStopped: !went,
        isWritten: true)
    }
    let folder = SegmentFolder(for: output.hasSuffix("/") ? String(output.dropLast()) : output)
    // A camera or standard input cannot be read again, so segments of an earlier run are useless.
    if isEndless(input) { folder.remove() }
    try folder.prepare()
    // Computed once, because the modification time of a device changes while it is read.
    let fingerprint: String = self.fingerprint(input)
    var journal: FilmJournal =
      folder.read(settings: fingerprint) ?? FilmJournal(settings: fingerprint)
    let finished: Int = journal.frameCount
    var state = PaintingState()
    if !journal.segments.isEmpty, !journal.isComplete {
      let index: Int = journal.segments.count - 1
      guard let bytes = FileManager.default.contents(atPath: folder.state(index)),
        let found = PaintingState(bytes)
      else {
        throw FilmError(
          .output, "'\(folder.state(index))' is damaged; delete the folder '\(folder.path)'.")
      }
      state = found
      notes.append("\(finished) frames were finished before; painting goes on after them.")
    }
    var times = FilmTimes()
    var painted: Int = 0
    var went = true
    if !journal.isComplete {
      let begin: Int64 = journal.segments.last?.end ?? settings.range.lowerBound
      let source = try input.makeSource(begin, false)
      let sink: any FrameSink = try makeSink(input, folder, journal)
      let pipeline: FilmPipeline
      do {
        (pipeline, went, painted) = try run(input, source, sink, state, done: finished, report)
      } catch let error as FilmError {
        throw FilmError(
          error.code,
          Self.withHint(error.message, folder, fingerprint, continues: !isEndless(input)))
      }
      times = pipeline.times
      if let damage = source.damage { notes.append(damage) }
      journal = folder.read(settings: fingerprint) ?? journal
      journal.damage = source.damage
      if went, journal.isComplete { try folder.write(journal) }
    } else if let damage = journal.damage {
      notes.append(damage)
    }
    guard journal.isComplete else {
      return FilmResult(
        frames: journal.frameCount, painted: painted, size: input.size, times: times, notes: notes,
        wasStopped: true, isWritten: false)
    }
    guard journal.frameCount > 0 else {
      folder.remove()
      throw FilmError(.film, "'\(self.input)' has no frame in the part that is wanted.")
    }
    if !Self.isFolderOrStream(output) {
      let programs: FilmPrograms = try self.programs ?? FilmPrograms()
      do {
        notes += try muxer(input, programs).write(journal, in: folder, to: output)
      } catch let error as FilmError {
        throw FilmError(
          error.code,
          Self.withHint(error.message, folder, fingerprint, continues: !isEndless(input)))
      }
    }
    folder.remove()
    return FilmResult(
      frames: journal.frameCount, painted: painted, size: input.size, times: times, notes: notes,
      wasStopped: !went, isWritten: true)
  }

  private func isEndless(_ input: Input) -> Bool {
    input.film?.isCamera ?? (self.input == Self.standardStream)
  }

  private static func withHint(
    _ message: String, _ folder: SegmentFolder, _ settings: String, continues: Bool
  ) -> String {
    let count: Int = folder.read(settings: settings)?.frameCount ?? 0
    return message.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
      + ". \(count) finished frames stay in '\(folder.path)'"
      + (continues ? "; the same command goes on after them." : ".")
  }

  private func run(
    _ input: Input, _ source: any FrameSource, _ sink: any FrameSink, _ state: PaintingState,
    done: Int,
    _ report: @escaping @Sendable (FilmProgress) -> Bool
  ) throws -> (FilmPipeline, Bool, Int) {
    let begin: Int64 = settings.range.lowerBound
    let mask: (any FrameSource)? = try maskSource(input, at: begin)
    for _ in 0..<done where mask != nil { _ = try mask?.next() }
    let pipeline = try FilmPipeline(
      from: source, mask: mask, to: sink, styles: [style] + [lastStyle].compactMap { $0 },
      change: try lastStyle == nil ? 0..<1 : change(input), stability: settings.stability,
      segmentLength: settings.segmentLength, size: settings.paintedSize(for: input.size),
      reduction: settings.reduction(for: input.size), state: state,
      frameDuration: input.frameDuration)
    let painted = Locked(0)
    let start = Date()
    let total: Int? = input.count
    let went: Bool = try pipeline.run(finishesWhenStopped: isEndless(input)) { count in
      painted.withLock { $0 = count }
      return report(
        FilmProgress(
          painted: count, done: done + count, total: total,
          framesPerSecond: Double(count) / max(1e-3, Date().timeIntervalSince(start))))
    }
    return (pipeline, went, painted.withLock { $0 })
  }

  /// The times of the first and the last frame, between which the style changes.
  private func change(_ input: Input) throws -> Range<Int64> {
    let begin: Int64 = settings.range.lowerBound
    var end: Int64 = settings.range.upperBound
    if let count = input.count {
      let length = Int64(min(1e15, Double(max(1, count - 1)) * Double(input.frameDuration)))
      end = min(end, (input.film == nil ? 0 : begin) + length)
    }
    guard end < Int64.max else {
      throw FilmError(
        .settings,
        "The style cannot change over '\(self.input)', whose length is not known; give its end with --to T."
      )
    }
    return begin..<max(begin + 1, end)
  }

  private func makeSink(_ input: Input, _ folder: SegmentFolder, _ journal: FilmJournal) throws
    -> any FrameSink
  {
    guard !Self.isFolderOrStream(output) else {
      return try PictureFolderSink(
        output, folder, journal: journal, segmentLength: settings.segmentLength)
    }
    let format = try FilmOutputFormat(path: output, codec: settings.codec)
    let programs: FilmPrograms = try self.programs ?? FilmPrograms()
    var filters: [String] = []
    if let film = input.film, format.holdsRotation {
      switch film.rotation {
      case 90: filters.append("transpose=cclock")
      case 180: filters += ["hflip", "vflip"]
      case 270: filters.append("transpose=clock")
      default: break
      }
    }
    if let aspect = input.film?.pixelAspect { filters.append("setsar=\(aspect)") }
    return SegmentSink(
      folder, journal: journal,
      settings: SegmentEncoder.Settings(
        codec: format.codec, quality: settings.quality, isLossless: format.isAnimation,
        filters: format.isAnimation ? [] : filters, hasBFrames: format.hasBFrames,
        matrix: input.film.flatMap { $0.isHDR ? "bt709" : $0.matrix }, size: input.size),
      segmentLength: settings.segmentLength, programs: programs)
  }

  private func muxer(_ input: Input, _ programs: FilmPrograms) throws -> FilmMuxer {
    let format = try FilmOutputFormat(path: output, codec: settings.codec)
    return FilmMuxer(
      film: input.film, format: format, programs: programs, from: settings.from, to: settings.to,
      isRotatedBack: format.holdsRotation)
  }

  /// Returns all settings and file properties that change the frames, as text.
  private func fingerprint(_ input: Input) -> String {
    let file = try? FileManager.default.attributesOfItem(atPath: self.input)
    let changed: Double = (file?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
    let part: String = "\(settings.from ?? 0)-\(settings.to.map { "\($0)" } ?? "")"
    return [
      self.input, "\(file?[.size] as? Int ?? 0)", "\(changed)", output, "\(input.size)", part,
      settings.rate ?? "", settings.codec ?? "", settings.quality.map { "\($0)" } ?? "",
      "\(settings.stability)", "\(settings.segmentLength)", "\(style.strength)",
      "\(style.keepsColors)", "\(settings.largestPaintedSide)",
      style.palette == nil ? "own colors" : "palette", settings.styleText,
    ].joined(separator: "; ")
  }
}

/// The frames of a mask's film. After the last frame, repeats it until the painted film ends.
///
/// `@unchecked Sendable`: one thread calls ``next()``.
private final class RepeatingMask: FrameSource, @unchecked Sendable {
  private let source: any FrameSource
  private var last: FilmFrame?

  init(_ source: any FrameSource) { self.source = source }

  func next() throws -> FilmFrame? {
    if let frame = try source.next() { last = frame }
    return last
  }

  func stop() { source.stop() }
  var damage: String? { source.damage }
}
