import Foundation
import Imaging
import StyleTransfer

/// What the network paints of a frame.
struct NetworkWork: Sendable {
  enum Share: Sendable {
    /// The complete frame. The statistics of norms and colours follow it.
    case whole
    /// Some cells, in these parts. Elsewhere, the frame is the key painting or the last painting.
    case parts([FramePart], NeededCells)
  }

  let share: Share
  /// The share of a complete frame's statistics that is mixed into those of the shot.
  let rate: Double
}

/// Decides what the network paints of each frame.
///
/// Where the key painting counts, the network's own painting would have a weight of some hundredths. So the network paints
/// a complete frame only at the beginning of a shot, for its statistics and colours, and if the frame becomes a key, which
/// moves towards the network's painting. In other frames, it paints what neither the key painting nor the last one shows,
/// and in every second frame all that the key painting does not show.
struct NetworkSchedule: Sendable {
  /// The key painting must weigh at least this much before it may weigh everything.
  private static let leastKeyWeight = 0.95

  private let size: PictureSize
  /// How far the painting of a pixel depends on other pixels. Nil if all frames are painted completely.
  private let margin: Int?
  /// The number of frames since one was painted completely. Zero before the first frame, because a segment ends with a
  /// complete one.
  private var sinceWhole = 0

  /// - Parameter margin: How far the painting of a pixel depends on other pixels. Nil if the network cannot paint parts.
  init(size: PictureSize, margin: Int?) {
    self.size = size
    self.margin = margin
  }

  /// Returns whether frames of a film with a stability may be painted in parts.
  static func allowsParts(stability: Double) -> Bool {
    FrameFinisher.keyWeight(stability: stability) >= leastKeyWeight
  }

  /// Decides what the network paints of the next frame.
  ///
  /// - Parameters:
  ///   - motion: The motion of the frame. Nil for the first one of a shot.
  ///   - shotFrames: The number of frames of the shot, this one included.
  mutating func next(_ motion: ShotMotion?, shotFrames: Int) -> NetworkWork {
    sinceWhole += 1
    guard let margin, let motion, !motion.endsKey, shotFrames > ShotPalette.frameCount else {
      // As if the frames that were not painted completely had had the same statistics.
      let each: Double = 1 / Double(min(shotFrames, ShotPalette.frameCount))
      let rate: Double = 1 - pow(1 - each, Double(sinceWhole))
      sinceWhole = 0
      return NetworkWork(share: .whole, rate: rate)
    }
    let cells = NeededCells(motion, size: size, keyOnly: sinceWhole % 2 == 0)
    return NetworkWork(share: .parts(cells.parts(margin: margin), cells), rate: 0)
  }
}
