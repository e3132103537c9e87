import Imaging

/// The colours of a painting for the frames of a film. ``Palette`` computes the statistics of each picture, which would
/// make a film flicker. This type averages them over the first frames of a shot and uses the mean until the next cut.
public struct ShotPalette: Sendable {
  /// The number of frames over which the statistics are computed.
  public static let frameCount = 8
  /// The number of samples along each axis of ``table``.
  public static let side = Palette.tableSide

  private let palette: Palette
  /// The sums over the frames: the mean of the lightness and of both colour axes, the variance of the lightness, and the
  /// covariance of the colour axes. The last number is the number of frames.
  private var sums: [Double] = []

  /// The new colours for a grid of `side`³ colours, with red as the outermost axis. Each entry has red, green, blue and
  /// a zero, 0…255. Empty before the first frame.
  public private(set) var table: [Float] = []

  /// Creates the colours before the first frame.
  public init(_ palette: Palette) { self.palette = palette }

  /// Adds a painted frame to the statistics. Does nothing after ``frameCount`` frames of the shot.
  public mutating func see(_ painting: Picture) {
    guard (sums.last ?? 0) < Double(Self.frameCount) else { return }
    let seen: OKLabStatistics = Palette.statistics(of: painting.withoutAlpha)
    let values: [Double] = [
      seen.mean.lightness, seen.mean.a, seen.mean.b, seen.lightnessVariance,
      seen.covariance.first, seen.covariance.both, seen.covariance.second, 1,
    ]
    sums = sums.isEmpty ? values : zip(sums, values).map(+)
    makeTable()
  }

  /// Forgets the frames, at a cut.
  public mutating func beginShot() { sums = [] }

  /// The state as numbers, for resuming later. An array of another length is ignored.
  public var state: [Double] {
    get { sums }
    set {
      guard newValue.count == 8, newValue[7] >= 1 else { return }
      sums = newValue
      makeTable()
    }
  }

  private mutating func makeTable() {
    let means: [Double] = sums.map { $0 / sums[7] }
    table = palette.table(
      from: OKLabStatistics(
        mean: (means[0], means[1], means[2]), lightnessVariance: means[3],
        covariance: SymmetricMatrix(first: means[4], both: means[5], second: means[6])),
      .network, channels: 4)
  }
}
