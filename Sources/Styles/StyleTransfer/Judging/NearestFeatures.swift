import Engine

/// Measures the distances from a picture's features to the nearest features of a painting, and in the other direction.
///
/// A feature is the vector of all channels at one pixel of a layer. The painting's mean feature is subtracted from all
/// features, as in “Neural Neighbor Style Transfer”. The distance of two features is 1 − cosine, from 0 to 2.
///
/// **Source:** Kolkin, Kucera, Paris, Sýkora, Shechtman and Shakhnarovich, arXiv:2203.13215.
public struct NearestFeatures: Sendable {
  /// The mean distances between the features of a picture and those of the painting.
  public struct Distances: Sendable, Equatable {
    /// The mean distance from each feature of the picture to the nearest feature of the painting. It is small if
    /// everything in the picture is similar to a part of the painting.
    public var near: Double
    /// The mean distance from each feature of the painting to the nearest feature of the picture. It is small if
    /// everything in the painting is similar to a part of the picture.
    public var cover: Double
  }

  private let channels: Int
  private let search: NeighborSearch

  /// Prepares the features `[1, C, H, W]` of a painting.
  public init(of painting: FloatTensor, options: ExecutionOptions = ExecutionOptions()) throws {
    let columns: FeatureColumns = try Self.columns(of: painting)
    channels = columns.rows
    search = NeighborSearch(in: columns, options: options)
  }

  /// Returns the distances between the features `[1, C, H, W]` of a picture and the painting's.
  public func distances(of picture: FloatTensor) throws -> Distances {
    let columns: FeatureColumns = try Self.columns(of: picture)
    guard columns.rows == channels else {
      throw StyleTransferError(
        .input,
        "The picture's features have \(columns.rows) channels, expected \(channels) as the"
          + " painting's have. Take both from the same layer.")
    }
    let found: NeighborSearch.Result = try search.nearest(to: columns)
    return Distances(
      near: Self.meanDistance(found.cosines), cover: Self.meanDistance(found.covered))
  }

  private static func columns(of features: FloatTensor) throws -> FeatureColumns {
    guard features.shape.rank == 4, features.shape[0] == 1, features.shape.count > 0 else {
      throw StyleTransferError(
        .input,
        "The features have the shape \(features.shape), expected [1, channels, height, width] of one"
          + " picture.")
    }
    return FeatureColumns(
      channels: [features.shape[1]], count: features.shape[2] * features.shape[3],
      values: features.values)
  }

  /// Returns the mean of 1 − cosine. Negative distances, which are rounding errors, count as 0.
  private static func meanDistance(_ cosines: [Float]) -> Double {
    cosines.reduce(0) { $0 + max(0, 1 - Double($1)) } / Double(cosines.count)
  }
}
