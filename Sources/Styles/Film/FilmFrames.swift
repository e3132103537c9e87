import Dispatch
import FFmpeg
import Imaging

/// The frames of a film as an asynchronous sequence: upright, in sRGB, with their times.
///
///     for try await frame in try FilmFrames("holiday.mp4", longerSide: 640) {
///       let painting = try painter.paint(frame.picture)
///     }
///
/// ffmpeg decodes the next frames while the caller uses the last one. At most a few frames wait in the pipe.
public struct FilmFrames: AsyncSequence, Sendable {
  public typealias Element = FilmFrame

  private let film: FilmDescription
  private let settings: FilmDecoder.Settings
  private let programs: FilmPrograms

  /// Opens a film.
  ///
  /// - Parameters:
  ///   - path: A film's file, or a camera such as `/dev/video0`.
  ///   - longerSide: The longer side of the frames in pixels. Nil for the film's.
  ///   - range: The part of the film, in seconds since its beginning.
  /// - Throws: ``FilmError`` if ffmpeg is missing or the file is no film.
  public init(_ path: String, longerSide: Int? = nil, range: Range<Double> = 0..<Double.infinity)
    throws
  {
    programs = try FilmPrograms()
    film = try FilmDescription(path, programs: programs)
    var wanted = FilmSettings()
    wanted.longerSide = longerSide
    wanted.from = range.lowerBound
    wanted.to = range.upperBound.isFinite ? range.upperBound : nil
    settings = FilmDecoder.Settings(
      size: wanted.size(for: film.size), range: wanted.range, seeks: !film.isCamera)
  }

  /// The properties of the film.
  public var description: FilmDescription { film }

  public func makeAsyncIterator() -> Iterator { Iterator(film, settings, programs) }

  /// Reads the frames in order.
  ///
  /// `@unchecked Sendable`: one task at a time calls ``next()``.
  public final class Iterator: AsyncIteratorProtocol, @unchecked Sendable {
    private let open: () throws -> FilmDecoder
    private var decoder: FilmDecoder?
    private let queue = DispatchQueue(label: "atelier.film.frames")

    init(_ film: FilmDescription, _ settings: FilmDecoder.Settings, _ programs: FilmPrograms) {
      open = { try FilmDecoder(film, settings, programs: programs) }
    }

    deinit { decoder?.stop() }

    /// Returns the next frame. Nil after the last one.
    public func next() async throws -> FilmFrame? {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          continuation.resume(
            with: Result {
              let decoder: FilmDecoder = try self.decoder ?? self.open()
              self.decoder = decoder
              return try decoder.next()
            })
        }
      }
    }
  }
}
