import FFmpeg
import Foundation
import Imaging

/// Frames of red, green and blue bytes on standard input, without times.
///
/// `@unchecked Sendable`: one thread calls ``next()``.
final class RawFrames: FrameSource, @unchecked Sendable {
  private let size: PictureSize
  private let microseconds: Double
  private let longerSide: Int?
  private var count: Int = 0
  private(set) var damage: String?

  /// - Parameters:
  ///   - rate: The number of frames per second.
  ///   - longerSide: The longer side to which frames are scaled. Nil for their own.
  init(_ size: PictureSize, rate: Double, longerSide: Int?) {
    self.size = size
    microseconds = 1e6 / rate
    self.longerSide = longerSide
  }

  func next() throws -> FilmFrame? {
    var read: Int = 0
    let picture = try Picture(width: size.width, height: size.height) { pixels in
      while read < pixels.count, let start = pixels.baseAddress {
        // Safe: the system writes at most the bytes that are left.
        let count: Int = Glibc.read(STDIN_FILENO, start + read, pixels.count - read)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        read += count
      }
    }
    guard read == size.width * size.height * 3 else {
      if read > 0 {
        damage =
          "Standard input ended within frame \(count + 1): \(read) of"
          + " \(size.width * size.height * 3) bytes. The frames before are painted."
      }
      return nil
    }
    defer { count += 1 }
    let scaled: Picture =
      try longerSide.map { try picture.scaled(to: size.scaled(toLongerSide: $0)) } ?? picture
    return FilmFrame(scaled, time: Int64((Double(count) * microseconds).rounded()))
  }

  func stop() {}
}

/// Writes frames of red, green and blue bytes to standard output.
///
/// `@unchecked Sendable`: one thread adds frames.
final class RawSink: FrameSink, @unchecked Sendable {
  func prepare(for time: Int64, state: PaintingState) {}

  func add(_ frame: FilmFrame) throws {
    try frame.picture.withPixels { pixels in
      var done: Int = 0
      while done < pixels.count, let start = pixels.baseAddress {
        // Safe: the system reads at most the bytes that are left.
        let count: Int = Glibc.write(STDOUT_FILENO, start + done, pixels.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          throw FilmError(
            .output, "Standard output cannot be written to (\(String(cString: strerror(errno)))).")
        }
        done += count
      }
    }
  }

  func finish(at end: Int64, state: PaintingState) {}
  func cancel() {}
}
