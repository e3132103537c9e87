import CFilm
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
    /// The frame at the size at which it is painted.
    let frame: FilmFrame
    /// The frame at its own size.
    let whole: Picture
    let motion: ShotMotion?
    /// The number of frames of the shot, this one included.
    let shotFrames: Int
    let work: NetworkWork
  }

  /// A painted frame.
  private struct Painted {
    let ready: Ready
    /// The paintings in all styles, and the statistics after them.
    let paintings: [OwnPainting]
    let norms: [[Double]]
  }

  private let source: any FrameSource
  private let maskSource: (any FrameSource)?
  private let sink: any FrameSink
  /// The style of the film. If there is a second one, the first changes into it.
  private let styles: [FrameStyle]
  /// The times between which the style changes, in microseconds.
  private let change: Range<Int64>
  private let stability: Double
  private let segmentLength: Int
  private let first: PaintingState
  /// The size at which frames are painted, and the integer by which they were reduced.
  private let size: PictureSize
  private let reduction: Int
  private let ready = BoundedQueue<Ready>(limit: 2)
  private let painted = BoundedQueue<Painted>(limit: 2)
  private let measured = Locked(FilmTimes())
  /// The duration of a frame in microseconds, for a film of a single frame.
  private let frameDuration: Int64
  /// What the network paints of the first frame, and of those after it.
  private let schedule: NetworkSchedule

  init(
    from source: any FrameSource, mask: (any FrameSource)?, to sink: any FrameSink,
    styles: [FrameStyle], change: Range<Int64>, stability: Double, segmentLength: Int,
    size: PictureSize, reduction: Int, state: PaintingState, frameDuration: Int64
  ) throws {
    self.source = source
    maskSource = mask
    self.sink = sink
    self.styles = styles
    self.change = change
    self.stability = stability
    self.segmentLength = segmentLength
    self.size = size
    self.reduction = reduction
    first = state
    self.frameDuration = frameDuration
    let reaches: [Int?] =
      NetworkSchedule.allowsParts(stability: stability)
      ? try styles.map { try $0.painter.painter.reach() } : [nil]
    schedule = NetworkSchedule(
      size: size, margin: reaches.contains(nil) ? nil : reaches.compactMap(\.self).max())
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
    while state.others.count + 1 < styles.count { state.others.append(PaintingState()) }
    var finishers: [FrameFinisher] = styles.enumerated().map { index, style in
      FrameFinisher(
        style, stability: stability, size: size,
        state: index == 0 ? state : state.others[index - 1])
    }
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
        let result: Picture = try timed(\.finish) {
          let mask: [Float]? = try styles[0].weights(
            of: frame.picture, maskFrame: maskSource?.next()?.picture)
          var results: [Picture] = []
          for index in finishers.indices {
            var own: PaintingState = index == 0 ? state : state.others[index - 1]
            if index > 0 { state.others[index - 1] = PaintingState() }
            own.shotFrames = next.ready.shotFrames
            results.append(
              try finishers[index].finish(
                next.paintings[index], of: frame, motion: next.ready.motion, frameMask: mask,
                state: &own))
            own.norms = next.norms[index]
            if index == 0 {
              state = own
            } else {
              own.lastFrame = nil
              state.others[index - 1] = own
            }
          }
          let painted: Picture =
            results.count == 1
            ? results[0] : try mixed(results[0], results[1], at: frame.time)
          return try painted.enlarged(
            along: next.ready.whole, reduced: frame.picture, by: reduction)
        }
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

  /// Mixes the paintings in both styles.
  private func mixed(_ first: Picture, _ second: Picture, at time: Int64) throws -> Picture {
    let length = Double(max(1, change.upperBound - change.lowerBound))
    let share = Float(min(1, max(0, Double(time - change.lowerBound) / length)))
    return try Picture(width: first.width, height: first.height) { target in
      first.withPixels { one in
        second.withPixels { other in
          if let one = one.baseAddress, let other = other.baseAddress, let to = target.baseAddress {
            cf_mix(other, one, nil, share, Int64(first.width * first.height), to)
          }
        }
      }
    }
  }

  private func paint(
    _ ready: Ready, _ painter: Painter, _ statistics: NormStatistics
  ) throws -> OwnPainting {
    let picture: Picture = ready.frame.picture
    guard stability > 0 else { return .whole(try painter.paint(picture).picture) }
    if ready.shotFrames == 1 { statistics.forget() }
    guard case .parts(let parts, let cells) = ready.work.share else {
      return .whole(
        try painter.paint(picture, statistics: statistics, rate: ready.work.rate).picture)
    }
    return .parts(
      cells,
      try parts.map { part in
        let input: Picture = try picture.cropped(
          x: part.inputColumns.lowerBound, y: part.inputRows.lowerBound,
          width: part.inputColumns.count, height: part.inputRows.count)
        let painted: Picture = try painter.paint(input, statistics: statistics, rate: 0).picture
        return (
          part,
          try painted.cropped(
            x: part.columns.lowerBound - part.inputColumns.lowerBound,
            y: part.rows.lowerBound - part.inputRows.lowerBound, width: part.columns.count,
            height: part.rows.count)
        )
      })
  }

  private func readFrames() {
    do {
      var shotFrames: Int = first.shotFrames
      var last: ReducedFrame? = first.lastFrame.map { ReducedFrame($0) }
      var follower: KeyFollower?
      var count: Int = 0
      var schedule: NetworkSchedule = self.schedule
      while let whole = try timed(\.decode, { try source.next() }) {
        let frame = FilmFrame(try whole.picture.reduced(by: reduction), time: whole.time)
        var motion: ShotMotion?
        if stability > 0 {
          try timed(\.motion) {
            let reduced = ReducedFrame(frame.picture)
            // A segment begins with a key, because painting may go on there after an interruption.
            if count % segmentLength == 0 { follower = nil }
            let endsSegment: Bool = count % segmentLength == segmentLength - 1
            if let last, !reduced.isCut(after: last) {
              var following: KeyFollower = follower ?? KeyFollower(last)
              motion = try following.follow(reduced, after: last, endsKey: endsSegment)
              follower = following
            } else {
              shotFrames = 0
              follower = nil
            }
            last = reduced
          }
        }
        count += 1
        shotFrames += 1
        let work: NetworkWork = schedule.next(motion, shotFrames: shotFrames)
        guard
          ready.add(
            Ready(
              frame: frame, whole: whole.picture, motion: motion, shotFrames: shotFrames,
              work: work))
        else { return }
      }
      ready.end()
    } catch { ready.end(error) }
  }

  private func paintFrames() {
    do {
      let statistics: [NormStatistics] = styles.map { _ in NormStatistics() }
      statistics[0].values = first.norms
      for (held, state) in zip(statistics.dropFirst(), first.others) { held.values = state.norms }
      while let next = try ready.take() {
        let paintings: [OwnPainting] = try timed(\.network) {
          try zip(styles, statistics).map { style, statistics in
            try paint(next, style.painter.painter, statistics)
          }
        }
        let norms: [[Double]] = statistics.map { stability > 0 ? $0.values : [] }
        guard painted.add(Painted(ready: next, paintings: paintings, norms: norms)) else { break }
      }
      ready.stop()
      painted.end()
    } catch {
      ready.stop()
      painted.end(error)
    }
  }
}
