import Graph

/// The positions of the points of a resized image along one axis, in input pixels.
///
/// An axis of X input pixels is the interval `[0, X − 1]`. On this axis, point *i* of N points, counted from 0, is at
/// - ``strictAlignEndpoints``: `i (X − 1) / (N − 1)`; 0 if N is 1,
/// - ``alignEndpoints``: `i (X − 1) / (N − 1)`; the middle of the interval if N is 1,
/// - ``upsample``: `min(X − 1, i (X − X / N) / (N − 1))`, which is `i X / N`; 0 if N is 1,
/// - ``regionOfInterest``: `min(X − 1, (i + ½) s)` with `s = max(1, X − 1) / N`,
/// - ``pixelCentres``: `(i + ½) X / N − ½`, clamped to the interval.
///
/// **Source:** `SamplingMode`; for ``pixelCentres`` `UpsampleLayerParams.LinearUpsampleMode`.
public enum SamplingGrid: Sendable, Hashable {
  case strictAlignEndpoints
  case alignEndpoints
  case upsample
  case regionOfInterest
  case pixelCentres

  /// Returns the positions of `count` points on the interval from `start` to `end`, both included. `end` may be less
  /// than `start`.
  package func points(from start: Double, to end: Double, count: Int) -> [Double] {
    (0..<count).map { point($0, from: start, to: end, count: count) }
  }

  /// Returns the position of the point `index` of `count` points on an interval; see ``points(from:to:count:)``.
  package func point(_ index: Int, from start: Double, to end: Double, count: Int) -> Double {
    let length: Double = end - start
    let points: Double = Double(count)
    let step: Double = Double(index)
    switch self {
    case .strictAlignEndpoints:
      return count == 1 ? start : start + step * length / (points - 1)
    case .alignEndpoints:
      return count == 1 ? (start + end) / 2 : start + step * length / (points - 1)
    case .upsample:
      return min(end, start + step * (length + 1) / points)
    case .regionOfInterest:
      return min(end, start + (step + 0.5) * max(1, length) / points)
    case .pixelCentres:
      return min(end, max(start, start + (step + 0.5) * (length + 1) / points - 0.5))
    }
  }

  /// Returns the positions of `count` points on an axis of `extent` pixels.
  package func points(extent: Int, count: Int) -> [Double] {
    points(from: 0, to: Double(extent - 1), count: count)
  }
}

/// The two pixels between which the value of a point on an axis is interpolated, and the weight of the second pixel.
package struct InterpolationTap: Sendable, Equatable {
  /// The pixel at or before the point.
  package let lower: Int
  /// The pixel after ``lower``. If ``lower`` is the last pixel, `upper` is also the last pixel.
  package let upper: Int
  /// The weight of the pixel ``upper``, from 0 to 1.
  package let weight: Double
  /// Whether the point is outside the axis.
  package let isOutside: Bool

  /// Creates the tap of a point on an axis of `extent` pixels. A point outside the axis reads the nearest edge pixel.
  package init(_ point: Double, extent: Int) {
    let inside: Double = min(max(point.isNaN ? 0 : point, 0), Double(extent - 1))
    lower = Int(bounding: inside)
    upper = min(lower + 1, extent - 1)
    weight = inside - Double(lower)
    isOutside = point < 0 || point > Double(extent - 1)
  }
}

/// Interpolates bilinearly between four pixels, which are in the two rows of the tap `row` and in the two columns of
/// the tap `column`. The closure returns the value of the pixel at a row and a column.
package func interpolated(
  _ row: InterpolationTap, _ column: InterpolationTap, _ pixel: (Int, Int) -> Double
) -> Double {
  let above: Double =
    pixel(row.lower, column.lower) * (1 - column.weight)
    + pixel(row.lower, column.upper) * column.weight
  let below: Double =
    pixel(row.upper, column.lower) * (1 - column.weight)
    + pixel(row.upper, column.upper) * column.weight
  return above * (1 - row.weight) + below * row.weight
}

/// Resizes an image with bilinear interpolation at the points of a grid, for reference implementations.
package func resized(_ input: ReferenceTensor, height: Int, width: Int, grid: SamplingGrid)
  -> ReferenceTensor
{
  var shape: Shape = input.shape
  let (rows, columns) = (shape[-2], shape[-1])
  shape[-2] = height
  shape[-1] = width
  let down: [InterpolationTap] = grid.points(extent: rows, count: height)
    .map { InterpolationTap($0, extent: rows) }
  let across: [InterpolationTap] = grid.points(extent: columns, count: width)
    .map { InterpolationTap($0, extent: columns) }
  return ReferenceTensor(shape) { index in
    interpolated(down[index[index.count - 2]], across[index[index.count - 1]]) { row, column in
      var source = index
      source[index.count - 2] = row
      source[index.count - 1] = column
      return input[source]
    }
  }
}
