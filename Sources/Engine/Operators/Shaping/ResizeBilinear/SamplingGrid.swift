import Graph

/// Where along an interval of *extent* pixels the points of a resized picture are read.
///
/// With an interval `[0, X − 1]` and N points, point *i* lies at
/// - ``strictAlignEndpoints``: `i (X − 1) / (N − 1)`; at 0 when N is 1,
/// - ``alignEndpoints``: the same; in the middle when N is 1,
/// - ``upsample``: `min(X − 1, i (X − X / N) / (N − 1))`, which is `i X / N`; at 0 when N is 1,
/// - ``regionOfInterest``: `min(X − 1, (i + ½) s)` with `s = max(1, X − 1) / N`,
/// - ``pixelCentres``: `(i + ½) X / N − ½`, kept inside the interval.
///
/// **Source:** `SamplingMode`, and `UpsampleLayerParams.LinearUpsampleMode` for the last.
public enum SamplingGrid: Sendable, Hashable {
  case strictAlignEndpoints
  case alignEndpoints
  case upsample
  case regionOfInterest
  case pixelCentres

  /// The places of `count` points on the interval that starts at `start` and ends at `end`, both
  /// included; an interval may run backwards.
  package func points(from start: Double, to end: Double, count: Int) -> [Double] {
    (0..<count).map { point($0, from: start, to: end, count: count) }
  }

  /// The place of one of `count` points on an interval, as ``points(from:to:count:)`` gives all.
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

  /// The places of the points of an axis of `extent` pixels.
  package func points(extent: Int, count: Int) -> [Double] {
    points(from: 0, to: Double(extent - 1), count: count)
  }
}

/// The two pixels between which a point lies, and how near it is to the second.
package struct InterpolationTap: Sendable, Equatable {
  /// The pixel before the point.
  package let lower: Int
  /// The pixel after it; the last pixel's is itself.
  package let upper: Int
  /// The share of the upper pixel, 0…1.
  package let weight: Double
  /// Whether the point lies outside of the axis.
  package let isOutside: Bool

  /// The taps of a point on an axis of `extent` pixels; points outside read the edge.
  package init(_ point: Double, extent: Int) {
    let inside: Double = min(max(point.isNaN ? 0 : point, 0), Double(extent - 1))
    lower = Int(bounding: inside)
    upper = min(lower + 1, extent - 1)
    weight = inside - Double(lower)
    isOutside = point < 0 || point > Double(extent - 1)
  }
}

/// The value of a picture between four pixels.
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

/// A picture read at the points of a grid, in plain loops.
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
