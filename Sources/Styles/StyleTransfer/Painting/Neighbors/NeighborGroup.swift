import Engine
import Imaging

/// The paintings for a part of the picture, at one scale.
final class NeighborGroup {
  /// The pixels of the paintings.
  let paintings: [PaintingParts]
  /// The columns of features of the paintings.
  private var candidates: FeatureColumns
  private let options: ExecutionOptions
  /// The part of the picture. Nil for the complete picture.
  let mask: StyleMask?

  /// The maximum number of the paintings' columns that are compared with each column of the picture.
  private static let mostCandidates = 16_384

  /// Prepares the paintings of a group for one scale. A painting is not enlarged, so that its strokes stay sharp.
  ///
  /// If a painting has a smaller weight than another one, fewer of its columns are compared.
  init(
    _ styles: [PaintingStyle], mask: StyleMask?, longerSide: Int, task: PaintingTask,
    hypercolumns: Hypercolumns
  ) throws {
    self.mask = mask
    let options: ExecutionOptions = task.settings.execution
    self.options = options
    let heaviest: Double = styles.map(\.weight).max() ?? 1
    var columns: FeatureColumns?
    var paintings: [PaintingParts] = []
    for (index, style) in styles.enumerated() {
      let side: Int = min(longerSide, style.painting.size.longerSide)
      let shown: Picture = try task.picture(
        of: style.painting, longerSide: side, alignment: Hypercolumns.alignment)
      let painting = try PaintingParts(shown)
      paintings.append(painting)
      let stride: Int = Hypercolumns.stride
      let count: Int = (shown.width / stride) * (shown.height / stride)
      let limit: Int = max(
        1,
        min(Self.mostCandidates / styles.count, Int(Double(count) * style.weight / heaviest)))
      for (part, share) in zip(painting.parts, painting.shares(of: limit)) {
        var all: FeatureColumns = try hypercolumns.columns(of: part.pixels, options: options)
        let allowed: [Int] = part.positions(
          height: part.pixels.shape[2] / stride, width: part.pixels.shape[3] / stride)
        if share < allowed.count {
          let seed: UInt64 = task.settings.seed &+ UInt64(index)
          all = all.taking(Self.drawn(share, of: allowed.count, seed: seed).map { allowed[$0] })
        } else if allowed.count < all.count {
          all = all.taking(allowed)
        }
        columns = columns?.joined(with: all) ?? all
      }
    }
    guard let columns else { preconditionFailure("a group has a painting") }
    self.paintings = paintings
    candidates = columns
  }

  /// Returns the paintings' most similar column for each column of the picture.
  ///
  /// Each side is first centred on its own mean. So a part that is light for its photo matches a part that is light for
  /// its painting.
  func nearest(to columns: consuming FeatureColumns) throws -> FeatureColumns {
    let search = NeighborSearch(in: candidates, options: options)
    let means: [Float] = columns.means
    let found: NeighborSearch.Result = try search.nearest(
      to: consume columns, centredOn: means)
    return candidates.taking(found.indices)
  }

  /// Frees the columns. ``nearest(to:)`` must not be called afterwards.
  func freeColumns() { candidates = FeatureColumns(channels: [], count: 0, values: []) }

  /// Draws `count` distinct indices below `all`, in ascending order.
  private static func drawn(_ count: Int, of all: Int, seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: seed)
    var indices = Array(0..<all)
    for index in 0..<count {
      indices.swapAt(index, index + Int(random.next() % UInt64(all - index)))
    }
    return indices.prefix(count).sorted()
  }
}
