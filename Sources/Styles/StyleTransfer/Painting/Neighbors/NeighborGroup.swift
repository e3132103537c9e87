import Engine
import Imaging

/// The paintings of a part of the picture, at a scale.
final class NeighborGroup {
  /// The pixels of the paintings, `[1, 3, height, width]` each.
  let paintings: [FloatTensor]
  /// The columns of features of the paintings.
  private var candidates: FeatureColumns
  private let options: ExecutionOptions
  /// The part of the picture. Nil for the complete picture.
  let mask: StyleMask?

  /// The largest number of the paintings' columns among which a column of the picture seeks the most similar one.
  private static let mostCandidates = 16_384

  /// Prepares the paintings of a group at a scale. A painting is not enlarged, so that its strokes stay sharp.
  ///
  /// If a painting has a smaller weight than another one, fewer of its columns take part.
  init(
    _ styles: [PaintingStyle], mask: StyleMask?, longerSide: Int, task: PaintingTask,
    hypercolumns: Hypercolumns
  ) throws {
    self.mask = mask
    let options: ExecutionOptions = task.settings.execution
    self.options = options
    let heaviest: Double = styles.map(\.weight).max() ?? 1
    var columns: FeatureColumns?
    var pixels: [FloatTensor] = []
    for (index, style) in styles.enumerated() {
      let side: Int = min(longerSide, style.painting.size.longerSide)
      let shown: Picture = try task.picture(
        of: style.painting, longerSide: side, alignment: Hypercolumns.alignment)
      let painting = FloatTensor([1, 3, shown.height, shown.width], shown.planes)
      pixels.append(painting)
      let all: FeatureColumns = try hypercolumns.columns(of: painting, options: options)
      let limit: Int = max(
        1,
        min(
          Self.mostCandidates / styles.count, Int(Double(all.count) * style.weight / heaviest)))
      let taken: FeatureColumns =
        all.count <= limit
        ? all
        : all.taking(
          Self.drawn(limit, of: all.count, seed: task.settings.seed &+ UInt64(index)))
      columns = columns?.joined(with: taken) ?? taken
    }
    guard let columns else { preconditionFailure("a group has a painting") }
    paintings = pixels
    candidates = columns
  }

  /// Returns the paintings' most similar column for each column.
  ///
  /// Both sides are centred on their own means: what is lighter than most of the photo becomes what is lighter than most
  /// of the painting.
  func nearest(to columns: consuming FeatureColumns) throws -> FeatureColumns {
    let search = NeighborSearch(in: candidates, options: options)
    let means: [Float] = columns.means
    let found: NeighborSearch.Result = try search.nearest(
      to: consume columns, centredOn: means)
    return candidates.taking(found.indices)
  }

  /// Frees the columns. No search may follow.
  func freeColumns() { candidates = FeatureColumns(channels: [], count: 0, values: []) }

  /// Draws different indices, in ascending order.
  private static func drawn(_ count: Int, of all: Int, seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: seed)
    var indices = Array(0..<all)
    for index in 0..<count {
      indices.swapAt(index, index + Int(random.next() % UInt64(all - index)))
    }
    return indices.prefix(count).sorted()
  }
}
