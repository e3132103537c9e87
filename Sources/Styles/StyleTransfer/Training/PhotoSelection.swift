import Engine

/// How training pictures are taken from photos.
public struct PhotoSelection: Sendable, Hashable, Codable {
  /// Which square of a photo is scaled to the training's picture side.
  public enum Crop: String, Sendable, Hashable, Codable, CaseIterable {
    /// A square whose side is 1/4 to 1 of the photo's shorter side, at a random position.
    case part
    /// The largest square, at a random position along the longer side. So the picture shows the whole photo, or most of
    /// it, as in Johnson et al., arXiv:1603.08155.
    case whole

    /// The smallest side of a crop, divided by the photo's shorter side.
    var smallestShare: Double {
      switch self {
      case .part: 0.25
      case .whole: 1
      }
    }
  }

  /// Which square of a photo is used.
  public var crop: Crop
  /// On average, one of this number of pictures is over- or underexposed. 0 for none.
  public var photosPerExposure: Int

  /// Creates a selection.
  public init(crop: Crop, photosPerExposure: Int) {
    self.crop = crop
    self.photosPerExposure = photosPerExposure
  }
}

/// A random square of a photo, before it is scaled.
struct RandomCrop: Equatable {
  /// The left column.
  let x: Int
  /// The top row.
  let y: Int
  /// The number of columns and of rows.
  let side: Int
  /// Whether the picture is mirrored left to right.
  let isMirrored: Bool
  /// The over- or underexposure. Nil for none.
  let exposure: Exposure?

  /// Draws a crop of a photo of the given size. `Scripts/style_pictures.py` draws the same random numbers in the same
  /// order.
  init(width: Int, height: Int, _ selection: PhotoSelection, _ generator: inout SplitMix64) {
    let shorter: Int = min(width, height)
    let least: Double = selection.crop.smallestShare
    let share: Double = least < 1 ? generator.uniform(least...1) : 1
    side = max(1, min(shorter, Int((share * Double(shorter)).rounded())))
    x = Int(generator.next() % UInt64(width - side + 1))
    y = Int(generator.next() % UInt64(height - side + 1))
    isMirrored = generator.next() & 1 == 1
    exposure = Exposure(oneOf: selection.photosPerExposure, &generator)
  }
}
