import Engine
import Imaging

/// A picture or a tile that is painted at one scale. Computes the targets for its columns of features.
struct NeighborPart {
  /// The picture with which the scale starts.
  let base: Picture
  /// The photo, in the size of the base.
  let photo: Picture
  /// The photo at the previous scale, enlarged to the size of the base. Nil at the first scale.
  let coarsePhoto: Picture?
  /// The paintings. Their masks are those of this part.
  let groups: [(group: NeighborGroup, mask: StyleMask?)]

  /// The width of the border while the picture is painted, in pixels.
  static let margin = 8
  /// The share of the photo in the query, at the strength 1.
  private static let photoShare: Double = 0.75

  /// Adds the border to a picture of this part's size.
  func canvas(_ picture: Picture) -> PaintingCanvas {
    PaintingCanvas(picture, margin: Self.margin, alignment: Hypercolumns.alignment)
  }

  /// Returns the target for each column of the picture: the most similar column of the paintings. Below the strength 1,
  /// the photo's own column is mixed in.
  func targets(strength: Double, hypercolumns: Hypercolumns, options: ExecutionOptions) throws
    -> FeatureColumns
  {
    let shown: PaintingCanvas = canvas(photo)
    let query: FeatureColumns = try hypercolumns.columns(
      of: self.query(strength: strength), options: options)
    var result: FeatureColumns = try nearest(to: consume query, shown)
    if strength < 1 {
      // Only the directions of columns matter, so both columns are scaled to the same length before they are mixed.
      var own: FeatureColumns = try hypercolumns.columns(of: shown.pixels, options: options)
      own.normalize()
      result.normalize()
      result.mix(Float(1 - strength), of: own)
    }
    return result
  }

  /// The picture whose columns are compared with the paintings': a mixture of the photo and of the base. The details of
  /// the photo that the previous scale could not show are added to the base. At the first scale, it is only the photo.
  private func query(strength: Double) -> FloatTensor {
    let fine: FloatTensor = canvas(photo).pixels
    guard let coarsePhoto else { return fine }
    let coarse: [Float] = canvas(coarsePhoto).pixels.values
    let start: [Float] = canvas(base).pixels.values
    let share = Float(Self.photoShare * min(1, max(0, 2 - strength)))
    return FloatTensor(
      fine.shape,
      fine.values.indices.map { fine.values[$0] + (1 - share) * (start[$0] - coarse[$0]) })
  }

  private func nearest(to query: consuming FeatureColumns, _ shown: PaintingCanvas) throws
    -> FeatureColumns
  {
    guard groups.count > 1 || groups.first?.mask != nil else {
      return try groups[0].group.nearest(to: consume query)
    }
    let (width, height) = (
      shown.pixels.shape[3] / Hypercolumns.stride, shown.pixels.shape[2] / Hypercolumns.stride
    )
    let masks: [[Float]] = groups.map { _, mask in
      mask.map { shown.mask($0, width: width, height: height).weights }
        ?? [Float](repeating: 0, count: width * height)
    }
    // Each position belongs to the group with the largest mask value at this position.
    let owners: [Int] = (0..<query.count).map { position in
      masks.indices.max { masks[$0][position] < masks[$1][position] } ?? 0
    }
    var result: FeatureColumns = copy query
    for (number, entry) in groups.enumerated() {
      let positions: [Int] = owners.indices.filter { owners[$0] == number }
      guard !positions.isEmpty else { continue }
      result.replace(positions, with: try entry.group.nearest(to: query.taking(positions)))
    }
    return result
  }
}
