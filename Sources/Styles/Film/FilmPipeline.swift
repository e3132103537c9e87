import Foundation
import Imaging
import NormStatistics
import Platform
import StyleTransfer

/// The target of painted frames, such as an encoder or a folder of pictures.
protocol FrameSink: AnyObject, Sendable {
  /// Called before a frame is added. `state` is the state of painting before that frame.
  func prepare(for time: Int64, state: PaintingState) throws
  /// Adds a frame.
  func add(_ frame: FilmFrame) throws
  /// Called after the last frame. `end` is the time at which that frame ends.
  func finish(at end: Int64, state: PaintingState) throws
  /// Drops the unfinished segment.
  func cancel()
}

/// The times of the parts of painting a film, in seconds. The parts run concurrently.
public struct FilmTimes: Sendable, Codable {
  /// Waiting for decoded frames and copying them.
  public var decode: Double = 0
  /// Optical flow.
  public var motion: Double = 0
  /// The network.
  public var network: Double = 0
  /// Colours, mask and blending.
  public var finish: Double = 0
  /// Passing frames to ffmpeg, including the time for which its encoder makes the caller wait.
  public var encode: Double = 0
  /// The time from the first to the last frame.
  public var total: Double = 0
}

/// Paints the frames of a source with three threads. The first thread reads frames and computes their motion, the
/// second one paints, and the third one finishes and encodes. At most two frames wait between two threads.
///
/// `@unchecked Sendable`: only one of the threads uses a property, or a lock protects it.
final class FilmPipeline: @unchecked Sendable {
  /// A frame that is ready to be painted.
  private struct Ready {
    let frame: FilmFrame
    let motion: FrameMotion?
    /// The number of frames of the shot up to this one.
    let shotFrames: Int
  }

  /// A painted frame.
  private struct Painted {
    let ready: Ready
    let painting: Picture
    let norms: [Double]
  }

  private let source: any FrameSource
  private let maskSource: (any FrameSource)?
  private let sink: any FrameSink
  private let style: FrameStyle
  private let stability: Double
  private let first: PaintingState
  private let size: PictureSize
  private let ready = BoundedQueue<Ready>(limit: 2)
  private let painted = BoundedQueue<Painted>(limit: 2)
  private let measured = Locked(FilmTimes())
  /// The duration of a frame in microseconds, for a film of a single frame.
  private let frameDuration: Int64

  init(
    from source: any FrameSource, mask: (any FrameSource)?, to sink: any FrameSink,
    style: FrameStyle,
    stability: Double, size: PictureSize, state: PaintingState, frameDuration: Int64
  ) {
    self.source = source
    maskSource = mask
    self.sink = sink
    self.style = style
    self.stability = stability
    self.size = size
    first = state
    self.frameDuration = frameDuration
  }

  /// The times so far.
  var times: FilmTimes { measured.withLock { $0 } }

  /// Paints all frames.
  ///
  /// - Parameters:
  ///   - finishesWhenStopped: Whether to finish the last segment if `report` stops the work, as for a camera.
  ///   - report: Called after each frame with the number of frames. If it returns false, the work ends.
  /// - Returns: Whether all frames of the source were painted.
  func run(finishesWhenStopped: Bool, report: @escaping @Sendable (Int) -> Bool) throws -> Bool {
    let start = Date()
    let threads = DispatchGroup()
    detach(threads) { self.readFrames() }
    detach(threads) { self.paintFrames() }
    var state: PaintingState = first
    var finisher = FrameFinisher(style, stability: stability, size: size, state: state)
    var count: Int = 0
    var last: Int64?
    var duration: Int64 = frameDuration
    do {
      var goesOn = true
      while goesOn, let next = try painted.take() {
        let frame: FilmFrame = next.ready.frame
        try timed(\.encode) { try sink.prepare(for: frame.time, state: state) }
        if let last { duration = frame.time - last }
        last = frame.time
        state.shotFrames = next.ready.shotFrames
        let result: Picture = try timed(\.finish) {
          try finisher.finish(
            next.painting, of: frame, motion: next.ready.motion,
            maskFrame: maskSource?.next()?.picture, state: &state)
        }
        state.norms = next.norms
        try timed(\.encode) { try sink.add(FilmFrame(result, time: frame.time)) }
        count += 1
        measured.withLock { $0.total = Date().timeIntervalSince(start) }
        goesOn = report(count)
      }
      painted.stop()
      source.stop()
      threads.wait()
      maskSource?.stop()
      if goesOn || finishesWhenStopped {
        if let last { try sink.finish(at: last + max(1, duration), state: state) }
      } else {
        sink.cancel()
      }
      measured.withLock { $0.total = Date().timeIntervalSince(start) }
      return goesOn
    } catch {
      painted.stop()
      source.stop()
      threads.wait()
      maskSource?.stop()
      sink.cancel()
      throw error
    }
  }

  private func detach(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    Thread.detachNewThread {
      body()
      group.leave()
    }
  }

  private func timed<Result>(
    _ part: WritableKeyPath<FilmTimes, Double>, _ body: () throws -> Result
  ) rethrows -> Result {
    let start = Date()
    defer {
      let time: Double = Date().timeIntervalSince(start)
      measured.withLock { $0[keyPath: part] += time }
    }
    return try body()
  }

  private func readFrames() {
    do {
      var shotFrames: Int = first.shotFrames
      var last: ReducedFrame? = first.lastFrame.map { ReducedFrame($0) }
      while let frame = try timed(\.decode, { try source.next() }) {
        var motion: FrameMotion?
        if stability > 0 {
          try timed(\.motion) {
            let reduced = ReducedFrame(frame.picture)
            if let last, !reduced.isCut(after: last) {
              motion = try reduced.motion(to: last)
            } else {
              shotFrames = 0
            }
            last = reduced
          }
        }
        shotFrames += 1
        guard ready.add(Ready(frame: frame, motion: motion, shotFrames: shotFrames)) else { return }
      }
      ready.end()
    } catch { ready.end(error) }
  }

  private func paintFrames() {
    do {
      let statistics = NormStatistics()
      statistics.values = first.norms
      let painter: Painter = style.painter.painter
      while let next = try ready.take() {
        let picture: Picture = try timed(\.network) {
          if stability > 0 {
            if next.shotFrames == 1 { statistics.forget() }
            let rate: Double = 1 / Double(min(next.shotFrames, ShotPalette.frameCount))
            return try painter.paint(
              next.frame.picture, statistics: statistics, rate: rate
            ).picture
          }
          return try painter.paint(next.frame.picture).picture
        }
        let norms: [Double] = stability > 0 ? statistics.values : []
        guard painted.add(Painted(ready: next, painting: picture, norms: norms)) else { break }
      }
      ready.stop()
      painted.end()
    } catch {
      ready.stop()
      painted.end(error)
    }
  }
}
