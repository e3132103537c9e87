import Engine
import Imaging

/// Paints a photo in the style of paintings by optimisation. From coarse to fine, changes the pixels to minimise a loss
/// that compares features of a network. ``PaintingMethod`` lists the losses.
public struct PicturePainter {
  /// The photo.
  public let photo: Picture
  /// The paintings that give the style.
  public let styles: [PaintingStyle]
  /// The settings of the optimisation.
  public let settings: PaintingSettings
  private let process: any PaintingProcess

  /// A function that makes the current picture. It is called only by reports that need the picture.
  public typealias Snapshot = () throws -> Picture
  /// A function that is called after each step. If it returns false, painting ends.
  public typealias Report = (PaintingProgress, Snapshot) throws -> Bool

  /// Creates a painter, but computes nothing yet. Throws if weights, masks or settings are invalid.
  ///
  /// - Parameter network: The network whose features are compared, usually VGG-16. It must have the layers that the
  ///   settings name.
  public init(
    _ photo: Picture, styles: [PaintingStyle], settings: PaintingSettings, network: FeatureNetwork
  ) throws {
    let needsStyle: Bool = settings.method != .reconstruction
    guard styles.contains(where: { $0.weight > 0 }) || !needsStyle,
      styles.allSatisfy({ $0.weight >= 0 && $0.weight.isFinite })
    else {
      throw StyleTransferError(
        .input, "Painting needs at least one style with a weight above 0.")
    }
    guard settings.iterations ?? 1 > 0, settings.size ?? 16 >= 16,
      min(photo.width, photo.height) >= 16
    else {
      throw StyleTransferError(
        .input, "Painting needs a size of at least 16 pixels, and at least one step.")
    }
    guard PaintingSettings.strengths.contains(settings.strength) else {
      throw StyleTransferError(
        .input,
        "The strength is \(settings.strength), expected a number from 0 to"
          + " \(PaintingSettings.strengths.upperBound).")
    }
    self.photo = photo
    self.styles = styles
    self.settings = settings
    let task = try PaintingTask(photo, styles: styles, settings: settings, network: network)
    switch settings.method {
    case .neighbors: process = try NeighborPainter(task)
    case .gram: process = try GramPainter(task)
    case .reconstruction: process = try FeatureReconstruction(task)
    }
    size = task.size
  }

  /// The size of the painting.
  public let size: PictureSize

  /// Estimates the memory of the largest scale in bytes. Extrapolates it from the plan of the smallest scale, because
  /// all large allocations are proportional to the area.
  public func estimatedBytes() throws -> Int { try process.estimatedBytes() }

  /// Paints the photo at all scales, and returns the painting.
  ///
  /// - Parameter report: Called after each step. If it returns false, painting ends, and the current picture is the
  ///   result.
  public func paint(_ report: Report) throws -> Picture { try process.paint(report) }
}

/// Generates pseudorandom numbers of 0…1 with 24 bits. A seed gives the same numbers on every machine.
struct NoiseSource {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> Float { Float(generator.next() >> 40) / Float(1 << 24) }

  /// Returns samples around grey, 96…160, for the start of an optimisation.
  mutating func samples(_ count: Int) -> [Float] {
    (0..<count).map { _ in 128 + 64 * (next() - 0.5) }
  }
}
