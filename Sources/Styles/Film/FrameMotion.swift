import CFilm
import FFmpeg
import Imaging

/// The optical flow from a frame to an earlier one, at a reduced size, with the confidence of each vector.
struct FrameMotion: Sendable {
  let flow: [Float]
  let confidence: [Float]
  /// How far each sample, or one near it, moves otherwise than the whole picture, 0…1.
  let doubt: [Float]
  let width: Int
  let height: Int
  let factor: Int

  /// The mean length of the flow, in pixels of the frame.
  var meanLength: Double {
    var sum: Float = 0
    for index in stride(from: 0, to: flow.count - 1, by: 2) {
      sum += (flow[index] * flow[index] + flow[index + 1] * flow[index + 1]).squareRoot()
    }
    return Double(sum) * Double(factor) / Double(max(1, confidence.count))
  }

  /// The share of the samples whose flow is trusted.
  var trustedShare: Double {
    var count: Int = 0
    for value in confidence where value > 0.7 { count += 1 }
    return Double(count) / Double(max(1, confidence.count))
  }

  /// Calls the closure with the C form.
  func withMotion<Result>(_ body: (UnsafePointer<cf_motion>) -> Result) -> Result {
    flow.withUnsafeBufferPointer { flow in
      confidence.withUnsafeBufferPointer { confidence in
        doubt.withUnsafeBufferPointer { doubt in
          var motion = cf_motion(
            flow: flow.baseAddress, confidence: confidence.baseAddress, doubt: doubt.baseAddress,
            width: Int64(width), height: Int64(height), factor: Int64(factor))
          return body(&motion)
        }
      }
    }
  }
}

/// The motion from a frame to the last one, and to the key frame whose painting it carries on.
struct ShotMotion: Sendable {
  /// The motion to the last frame.
  let step: FrameMotion
  /// The motion to the key frame.
  let key: FrameMotion
  /// Whether the last frame is the key frame, which it was not for the frame before.
  let beginsKey: Bool
  /// Whether this frame's painting becomes the next key.
  let endsKey: Bool
  /// The mean length of the motion to the key, in pixels.
  let distance: Double
}

/// Follows the motion from the frames of a shot to a key frame, whose painting they carry on.
///
/// A painting that is warped from frame to frame gets blurred, because each warp interpolates. From a key, it is
/// interpolated once. A key lasts ten frames, less if the picture no longer shows what the key shows.
struct KeyFollower {
  /// The number of frames after which there is a new key.
  private static let keyLength = 10
  /// The share of the picture that a key must show.
  private static let leastShown = 0.6

  private var key: ReducedFrame
  private var map: [Float]
  private var trust: [Float]
  private var age = 0

  /// Makes a frame the key.
  init(_ frame: ReducedFrame) {
    key = frame
    map = [Float](repeating: 0, count: frame.luma.count * 2)
    trust = [Float](repeating: 1, count: frame.luma.count)
  }

  /// Follows the motion to the next frame.
  ///
  /// - Parameter endsKey: Whether that frame becomes the next key in any case.
  mutating func follow(
    _ frame: ReducedFrame, after last: ReducedFrame, endsKey: Bool = false
  ) throws -> ShotMotion {
    let step: FrameMotion = try frame.motion(to: last)
    let toKey: FrameMotion = try frame.motion(to: key, step: step, map: map, trust: trust)
    let (isFirst, distance, shown) = (age == 0, toKey.meanLength, toKey.trustedShare)
    age += 1
    let isLast: Bool = endsKey || age >= Self.keyLength || shown < Self.leastShown
    if isLast {
      self = KeyFollower(frame)
    } else {
      (map, trust) = (toKey.flow, toKey.confidence)
    }
    return ShotMotion(
      step: step, key: toKey, beginsKey: isFirst, endsKey: isLast, distance: distance)
  }
}

/// The luma of a frame at a reduced size, from which motion is computed.
struct ReducedFrame: Sendable {
  let luma: [Float]
  let width: Int
  let height: Int
  let factor: Int

  /// The maximum side of reduced frames, in samples. Larger frames take longer and hardly improve the flow.
  private static let longestSide = 480

  init(_ picture: Picture) {
    let longer: Int = max(picture.width, picture.height)
    factor = max(longer > 96 ? 2 : 1, (longer + Self.longestSide - 1) / Self.longestSide)
    (width, height) = (picture.width / factor, picture.height / factor)
    var luma = [Float](repeating: 0, count: width * height)
    let factor = Int64(self.factor)
    picture.withPixels { pixels in
      luma.withUnsafeMutableBufferPointer { luma in
        if let from = pixels.baseAddress, let to = luma.baseAddress {
          cf_reduced_luma(from, Int64(picture.width), Int64(picture.height), factor, to)
        }
      }
    }
    self.luma = luma
  }

  /// Returns whether there is a cut between another frame and this one.
  ///
  /// Motion changes the luma of many pixels, but not the histogram. A change of light changes the histogram. A cut
  /// changes both.
  func isCut(after other: ReducedFrame) -> Bool {
    guard other.width == width, other.height == height else { return true }
    return cf_mean_difference(luma, other.luma, Int64(luma.count)) > 20
      && cf_histogram_distance(luma, other.luma, Int64(luma.count)) > 0.25
  }

  /// Computes the motion from this frame to an earlier one of the same size.
  func motion(to last: ReducedFrame) throws -> FrameMotion {
    var flow = [Float](repeating: 0, count: luma.count * 2)
    // The weight with which each sample moves with the whole picture.
    var global = [Float](repeating: 0, count: luma.count)
    var confidence: [Float] = global
    guard
      cf_step(luma, last.luma, Int64(width), Int64(height), &flow, &global, &confidence)
    else { throw memoryError }
    return FrameMotion(
      flow: flow, confidence: confidence, doubt: global.map { 1 - $0 }, width: width,
      height: height, factor: factor)
  }

  /// Computes the motion from this frame to an earlier one.
  ///
  /// - Parameters:
  ///   - step: The motion from this frame to the last one.
  ///   - map: The displacements from the last frame to the earlier one.
  ///   - trust: The confidence in them.
  func motion(
    to earlier: ReducedFrame, step: FrameMotion, map: [Float], trust: [Float]
  ) throws -> FrameMotion {
    var newMap = [Float](repeating: 0, count: map.count)
    var newTrust = [Float](repeating: 0, count: trust.count)
    var doubt: [Float] = newTrust
    let isDone: Bool = step.withMotion {
      cf_follow_key(luma, earlier.luma, $0, map, trust, &newMap, &newTrust, &doubt)
    }
    guard isDone else { throw memoryError }
    return FrameMotion(
      flow: newMap, confidence: newTrust, doubt: doubt, width: width, height: height,
      factor: factor)
  }

  /// Computes the motion from this frame to an earlier one. The search starts from the sum of the steps, because it finds
  /// no large motion on its own.
  ///
  /// - Parameter steps: The motion of each frame after the earlier one, to the frame before it; that of this frame last.
  func motion(to earlier: ReducedFrame, along steps: [FrameMotion]) throws -> FrameMotion {
    guard let last = steps.last else { return try motion(to: earlier) }
    if steps.count == 1 { return last }
    var (map, trust) = (steps[0].flow, steps[0].confidence)
    for step in steps[1..<(steps.count - 1)] {
      let (lastMap, lastTrust) = (map, trust)
      step.withMotion { cf_add_motion($0, lastMap, lastTrust, &map, &trust) }
    }
    return try motion(to: earlier, step: last, map: map, trust: trust)
  }

  private var memoryError: FilmError {
    FilmError(
      .memory,
      "There is not enough memory for the motion of a film of \(width * factor) × \(height * factor)."
    )
  }
}
