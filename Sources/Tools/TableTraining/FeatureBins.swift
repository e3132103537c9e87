/// The values of each feature as the numbers of at most 255 bins, so that a tree's splits are found by histograms.
///
/// A feature with up to 255 distinct values has one bin for each. Otherwise, every bin has about equally many rows. A
/// boundary between two bins lies halfway between the neighbouring values.
///
/// **Source:** Ke et al., “LightGBM: A Highly Efficient Gradient Boosting Decision Tree” (2017).
struct FeatureBins: Sendable {
  /// The bin of missing values (NaN).
  static let missing: UInt8 = 255
  /// The number of bins of each feature in a histogram, with the bin of missing values.
  static let slots: Int = 256
  private static let mostBins: Int = 255

  /// The bin of each row: `[feature][row]`.
  let bins: [[UInt8]]
  /// The boundaries between a feature's bins. A value in bin b is at most `boundaries[feature][b]`.
  let boundaries: [[Double]]
  /// The number of rows.
  let rowCount: Int

  init(_ columns: [[Double]]) {
    rowCount = columns.first?.count ?? 0
    boundaries = columns.map(Self.boundaries)
    bins = zip(columns, boundaries).map { column, boundaries in
      column.map { value in
        if value.isNaN { return Self.missing }
        var low = 0
        var high = boundaries.count
        while low < high {
          let middle: Int = (low + high) / 2
          if value <= boundaries[middle] { high = middle } else { low = middle + 1 }
        }
        return UInt8(low)
      }
    }
  }

  private static func boundaries(of column: [Double]) -> [Double] {
    let sorted: [Double] = column.filter { !$0.isNaN }.sorted()
    var values: [Double] = []
    for value in sorted where value != values.last { values.append(value) }
    if values.count <= mostBins {
      return zip(values, values.dropFirst()).map(halfway)
    }
    // With more distinct values, the boundaries are quantiles of the rows.
    var result: [Double] = []
    for bin in 1..<mostBins {
      let position: Int = bin * sorted.count / mostBins
      let (left, right) = (sorted[position - 1], sorted[position])
      guard left < right else { continue }
      let boundary: Double = halfway(left, right)
      if boundary != result.last { result.append(boundary) }
    }
    return result
  }

  /// A number that is at least `left` and less than `right`.
  private static func halfway(_ left: Double, _ right: Double) -> Double {
    let middle: Double = left + (right - left) / 2
    return middle < right ? middle : left
  }
}
