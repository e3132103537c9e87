import CFilm
import Imaging

/// The optical flow from a frame to an earlier one, at a reduced size, with the confidence of each vector.
struct FrameMotion: Sendable {
  let flow: [Float]
  let confidence: [Float]
  let width: Int
  let height: Int
  let factor: Int

  /// Calls the closure with the C form.
  func withMotion<Result>(_ body: (UnsafePointer<cf_motion>) -> Result) -> Result {
    flow.withUnsafeBufferPointer { flow in
      confidence.withUnsafeBufferPointer { confidence in
        var motion = cf_motion(
          flow: flow.baseAddress, confidence: confidence.baseAddress, width: Int64(width),
          height: Int64(height), factor: Int64(factor))
        return body(&motion)
      }
    }
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
    let backward: [Float] = try flow(to: last)
    let forward: [Float] = try last.flow(to: self)
    var confidence = [Float](repeating: 0, count: luma.count)
    cf_confidence(luma, last.luma, backward, forward, Int64(width), Int64(height), &confidence)
    return FrameMotion(
      flow: backward, confidence: confidence, width: width, height: height, factor: factor)
  }

  private func flow(to other: ReducedFrame) throws -> [Float] {
    var flow = [Float](repeating: 0, count: luma.count * 2)
    guard cf_flow(luma, other.luma, Int64(width), Int64(height), &flow) else {
      throw FilmError(
        .memory,
        "There is not enough memory for the motion of a film of \(width * factor) × \(height * factor)."
      )
    }
    return flow
  }
}
