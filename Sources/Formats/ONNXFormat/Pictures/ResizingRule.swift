import Foundation
import Graph
import Operators

/// The rule by which `Resize` computes each output element: the position in the input that the output element reads,
/// and the weights of the input elements around that position.
///
/// **Source:** the specification of `Resize` in ONNX.
struct ResizingRule {
  /// The region to resize in the mode `tf_crop_and_resize`: the starts of all axes, and then the ends of all axes, as
  /// fractions of the axes' extents. Nil for other modes.
  let region: [Double]?
  /// The interpolation: nearest, linear or cubic.
  let kind: String
  /// How an output position maps to an input position, as ONNX names the mapping.
  let coordinates: String
  /// How nearest-neighbour interpolation rounds a position between two elements, as ONNX names the rounding.
  let rounding: String
  /// Whether downsampling widens the kernel by the scale, so that all input elements contribute to the result.
  let isAntialiased: Bool
  /// The parameter `a` of cubic interpolation.
  let cubic: Double
  /// Whether positions beyond the ends get no weight. If false, such positions read the element at the end.
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

  /// Whether each output element is a copy of one input element, and not a mixture of several.
  var isNearest: Bool { kind == "nearest" }

  /// Whether enlarging by an integer factor repeats each element.
  var repeatsPixels: Bool {
    coordinates == "asymmetric" && rounding == "floor"
      || ["half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"].contains(coordinates)
        && ["round_prefer_floor", "round_prefer_ceil"].contains(rounding)
  }

  /// The sampling grid of the graph's equivalent operator. Nil if the graph has no equivalent operator.
  var grid: SamplingGrid? {
    if isNearest { return coordinates == "asymmetric" && rounding == "floor" ? .upsample : nil }
    switch coordinates {
    case "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric": return .pixelCentres
    case "align_corners": return .strictAlignEndpoints
    case "asymmetric": return .upsample
    default: return nil
    }
  }

  /// Returns the mode of the graph's equivalent operator. Nil if the graph has no equivalent operator.
  func mode(_ linear: ResizeOperator.Mode) -> ResizeOperator.Mode? {
    if isNearest { return grid == nil ? nil : .nearest }
    return kind == "linear" && !isAntialiased ? linear : nil
  }

  /// Returns the part of an axis to resize, as fractions of the axis's extent. Nil means the whole axis. `count` is the
  /// number of resized axes.
  func bounds(ofAxis index: Int, of count: Int) -> (start: Double, end: Double)? {
    guard let region else { return nil }
    return region.count == 2 * count ? (region[index], region[count + index]) : (0, 0)
  }

  /// Returns, for each output element along an axis, the position in the input that the element reads.
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
        guard let (start, end) = bounds(ofAxis: axis, of: axes) else { return 0 }
        return count > 1
          ? start * (size - 1) + place * (end - start) * (size - 1) / (length - 1)
          : 0.5 * (start + end) * (size - 1)
      case "tf_half_pixel_for_nn": return (place + 0.5) / scale
      default: return (place + 0.5) / scale - 0.5
      }
    }
  }

  /// Returns the index of the input element nearest to a position.
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

  /// Returns the weight of each input element along an axis, for an output element at the input position `point`.
  func weights(_ point: Double, of extent: Int, scale: Double) -> [Double] {
    var result = [Double](repeating: 0, count: extent)
    let factor: Double = isAntialiased ? min(scale, 1) : 1
    let reach: Double = (kind == "cubic" ? 2 : 1) / factor
    // If a position is outside the axis by more than the axis's extent, the output element reads only the element at
    // the nearer end. So clamping the positions changes nothing.
    let bounds: ClosedRange<Int> = -2 * extent - 4...3 * extent + 4
    let first = Int(bounding: (point - reach).rounded(.down), to: bounds) + 1
    let last = Int(bounding: (point + reach).rounded(.up), to: bounds) - 1
    guard first <= last else { return result }
    var sum: Double = 0
    for place in first...last {
      if excludesOutside, !(0..<extent).contains(place) { continue }
      let weight: Double = weight(((Double(place) - point) * factor).magnitude)
      sum += weight
      result[min(max(place, 0), extent - 1)] += weight
    }
    return sum == 0 ? result : result.map { $0 / sum }
  }

  /// Returns the weight of an input element. `distance` is the element's distance from the position that the output
  /// element reads, in elements. For antialiasing, the caller multiplies the distance by the scale.
  private func weight(_ distance: Double) -> Double {
    guard kind == "cubic" else { return max(0, 1 - distance) }
    let (a, d) = (cubic, distance)
    if d <= 1 { return ((a + 2) * d - (a + 3)) * d * d + 1 }
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0
  }
}
