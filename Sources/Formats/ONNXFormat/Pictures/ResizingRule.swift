import Foundation
import Graph
import Operators

/// Where a resized tensor reads its input, and how it mixes what it reads there.
///
/// **Source:** the definition of `Resize` in ONNX.
struct ResizingRule {
  /// The bounds that `tf_crop_and_resize` reads within, starts before ends, as parts of each axis.
  let region: [Double]?
  /// nearest, linear or cubic.
  let kind: String
  /// How a place of the output becomes one of the input.
  let coordinates: String
  /// How a place between two elements is rounded.
  let rounding: String
  /// Whether more elements are mixed where the tensor becomes smaller.
  let isAntialiased: Bool
  /// The parameter of cubic interpolation.
  let cubic: Double
  /// Whether elements beyond the ends have no share.
  let excludesOutside: Bool

  init(_ node: ONNXNode) throws {
    let isOld: Bool = node.message.opType == "Upsample" || node.version <= 10
    kind = node.string("mode", or: "nearest")
    coordinates =
      isOld ? "asymmetric" : node.string("coordinate_transformation_mode", or: "half_pixel")
    rounding = isOld ? "floor" : node.string("nearest_mode", or: "round_prefer_floor")
    isAntialiased = node.flag("antialias")
    cubic = Double(node.float("cubic_coeff_a", or: -0.75))
    excludesOutside = node.flag("exclude_outside")
    guard ["nearest", "linear", "cubic"].contains(kind) else {
      throw node.invalid("the mode is '\(kind)', expected nearest, linear or cubic.")
    }
    let known: [String] = [
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
      "tf_crop_and_resize", "tf_half_pixel_for_nn",
    ]
    guard known.contains(coordinates) else {
      throw node.invalid("coordinate_transformation_mode is '\(coordinates)'.")
    }
    guard coordinates == "tf_crop_and_resize" else {
      region = nil
      return
    }
    guard let given = try node.optional(1), let values = try node.constant(given)?.reals else {
      throw node.unsupported("the region is computed or missing, expected a constant.")
    }
    guard values.allSatisfy(\.isFinite) else {
      throw node.invalid("the region is \(values), expected finite numbers.")
    }
    region = values
  }

  /// Whether elements are taken and not mixed.
  var isNearest: Bool { kind == "nearest" }

  /// Whether enlarging by whole factors repeats each element.
  var repeatsPixels: Bool {
    coordinates == "asymmetric" && rounding == "floor"
      || ["half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"].contains(coordinates)
        && ["round_prefer_floor", "round_prefer_ceil"].contains(rounding)
  }

  /// The grid of an operator that reads at the same places; nil for none.
  var grid: SamplingGrid? {
    if isNearest { return coordinates == "asymmetric" && rounding == "floor" ? .upsample : nil }
    switch coordinates {
    case "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric": return .pixelCentres
    case "align_corners": return .strictAlignEndpoints
    case "asymmetric": return .upsample
    default: return nil
    }
  }

  /// The operator's mode; nil where it has none that means the same.
  func mode(_ linear: ResizeOperator.Mode) -> ResizeOperator.Mode? {
    if isNearest { return grid == nil ? nil : .nearest }
    return kind == "linear" && !isAntialiased ? linear : nil
  }

  /// The places of an axis that are read.
  func points(of extent: Int, count: Int, scale: Double, axis: Int, of axes: Int) -> [Double] {
    let (size, length) = (Double(extent), Double(count))
    return (0..<count).map { index in
      let place = Double(index)
      switch coordinates {
      case "asymmetric": return place / scale
      case "align_corners": return count > 1 ? place * (size - 1) / (length - 1) : 0
      case "pytorch_half_pixel": return count > 1 ? (place + 0.5) / scale - 0.5 : 0
      case "half_pixel_symmetric":
        let adjustment: Double = length / (scale * size)
        let offset: Double = size / 2 * (1 - adjustment)
        return offset + (place + 0.5) / scale - 0.5
      case "tf_crop_and_resize":
        guard let region, region.count == 2 * axes else { return 0 }
        let (start, end) = (region[axis], region[axes + axis])
        return count > 1
          ? start * (size - 1) + place * (end - start) * (size - 1) / (length - 1)
          : 0.5 * (start + end) * (size - 1)
      case "tf_half_pixel_for_nn": return (place + 0.5) / scale
      default: return (place + 0.5) / scale - 0.5
      }
    }
  }

  /// The element that is nearest to a place.
  func nearest(_ point: Double, of extent: Int) -> Int {
    let rounded: Double
    switch rounding {
    case "floor": rounded = point.rounded(.down)
    case "ceil": rounded = point.rounded(.up)
    case "round_prefer_ceil": rounded = (point + 0.5).rounded(.down)
    default: rounded = (point - 0.5).rounded(.up)
    }
    return Int(bounding: rounded, to: 0...max(0, extent - 1))
  }

  /// The share of each element of an axis at a place.
  func weights(_ point: Double, of extent: Int, scale: Double) -> [Double] {
    var result = [Double](repeating: 0, count: extent)
    let factor: Double = isAntialiased ? min(scale, 1) : 1
    let reach: Double = (kind == "cubic" ? 2 : 1) / factor
    // Beyond both ends, and as many elements as an axis has, everything lies on the edge.
    let bounds: ClosedRange<Int> = -2 * extent - 4...3 * extent + 4
    let first = Int(bounding: (point - reach).rounded(.down), to: bounds) + 1
    let last = Int(bounding: (point + reach).rounded(.up), to: bounds) - 1
    guard first <= last else { return result }
    var sum: Double = 0
    for place in first...last {
      if excludesOutside, !(0..<extent).contains(place) { continue }
      let share: Double = share(((Double(place) - point) * factor).magnitude)
      sum += share
      result[min(max(place, 0), extent - 1)] += share
    }
    return sum == 0 ? result : result.map { $0 / sum }
  }

  /// The share of an element at a distance.
  private func share(_ distance: Double) -> Double {
    guard kind == "cubic" else { return max(0, 1 - distance) }
    let (a, d) = (cubic, distance)
    if d <= 1 { return ((a + 2) * d - (a + 3)) * d * d + 1 }
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0
  }
}
