import Foundation
import Graph
import Operators

/// A picture resized to a size, as Keras and TensorFlow do it: points lie in the middle of pixels.
///
/// **Source:** the definition of `tf.image.resize`, and `ScaleAndTranslate`, which it calls for wide kernels.
struct KerasResizing {
  let height: Int
  let width: Int
  /// nearest, bilinear, bicubic, area, lanczos3, lanczos5, gaussian or mitchellcubic.
  let interpolation: String
  /// Whether more pixels are mixed where the picture becomes smaller.
  var isAntialiased = false
  /// Whether the picture is cut to the ratio of the sides first.
  var crops = false
  /// Whether the picture gets a border up to the ratio of the sides first.
  var pads = false
  /// The value of that border.
  var fill: Float = 0

  init(height: Int, width: Int, interpolation: String) {
    (self.height, self.width, self.interpolation) = (height, width, interpolation)
  }

  /// The interpolations that are known.
  private static let kinds: [String] = [
    "nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic",
  ]

  /// What it makes of `[N, C, H, W]`.
  func made(of value: Graph.ValueID, _ context: KerasContext) throws -> Graph.ValueID {
    guard (1...1 << 16).contains(height), (1...1 << 16).contains(width) else {
      throw context.invalid(
        "'height' and 'width' are \(height) and \(width), expected 1 to \(1 << 16).")
    }
    guard Self.kinds.contains(interpolation) else {
      throw context.unsupported(
        "'interpolation' is '\(interpolation)', expected \(Self.kinds.joined(separator: ", ")).")
    }
    guard !crops || !pads else {
      throw context.invalid("it cuts the picture to the ratio of the sides and pads it as well.")
    }
    let picture = crops || pads ? try framed(value, context) : value
    if interpolation == "nearest" {
      return try context.add(
        ResizeOperator(sizes: [height, width], mode: .nearest, grid: .pixelCentres), picture)
    }
    if interpolation == "bilinear", !isAntialiased {
      return try context.add(
        ResizeBilinearOperator(height: height, width: width, grid: .pixelCentres), picture)
    }
    let (rows, columns) = try size(picture, context)
    guard rows * height <= 1 << 26, columns * width <= 1 << 26 else {
      throw context.unsupported(
        "it resizes \(rows) × \(columns) to \(height) × \(width) by '\(interpolation)', which is too large for this interpolation. Use bilinear."
      )
    }
    let down = context.constant(matrix(from: rows, to: height), "rows")
    let across = context.constant(matrix(from: columns, to: width), "columns")
    let made = try context.add(BatchedMatMulOperator(), down, picture)
    return try context.add(BatchedMatMulOperator(transposesRight: true), made, across)
  }

  private func size(_ value: Graph.ValueID, _ context: KerasContext) throws -> (Int, Int) {
    let known: [Int?] = context.extents(value, rank: 4)
    guard let rows = known[2], let columns = known[3], rows > 0, columns > 0 else {
      throw context.unsupported(
        "it resizes by '\(interpolation)' or keeps the ratio of the sides, which needs a picture of known size. State its extents."
      )
    }
    return (rows, columns)
  }

  /// The middle of the picture, or the picture with a border, that has the ratio of the new sides.
  private func framed(_ value: Graph.ValueID, _ context: KerasContext) throws -> Graph.ValueID {
    let (rows, columns) = try size(value, context)
    // Keras computes in float32 and rounds down.
    func fitting(_ side: Int, _ own: Int, _ other: Int) -> Int {
      Int(bounding: Float([side, own].product) / Float(other))
    }
    let tall: Int = fitting(columns, height, width)
    let wide: Int = fitting(rows, width, height)
    if crops {
      let (high, broad) = (max(1, min(rows, tall)), max(1, min(columns, wide)))
      let (top, left) = ((rows - high) / 2, (columns - broad) / 2)
      return try context.add(
        CropOperator(
          amounts: EdgeAmounts(
            top: top, bottom: rows - high - top, left: left, right: columns - broad - left)),
        value)
    }
    // As many on both sides: an odd pixel is left out.
    let (top, left) = ((max(rows, tall) - rows) / 2, (max(columns, wide) - columns) / 2)
    guard top > 0 || left > 0 else { return value }
    return try context.add(
      PaddingOperator(
        amounts: EdgeAmounts(top: top, bottom: top, left: left, right: left),
        mode: .constant(fill)),
      value)
  }

  // MARK: - Shares

  /// The share of each element in each element of a resized axis: `[count, extent]`.
  private func matrix(from extent: Int, to count: Int) -> Constant {
    let resizing = self
    return Constant(
      [count, extent],
      recipe: "\(interpolation) \(isAntialiased) \(extent) → \(count)", of: []
    ) {
      (0..<count).flatMap { place -> [Float] in
        resizing.shares(place, of: extent, count: count).map { Float($0) }
      }
    }
  }

  private func shares(_ place: Int, of extent: Int, count: Int) -> [Double] {
    let step: Double = Double(extent) / Double(count)
    if interpolation == "area" { return areas(place, extent: extent, step: step) }
    if interpolation == "bicubic", !isAntialiased {
      return cubic((Double(place) + 0.5) * step - 0.5, extent: extent)
    }
    let middle: Double = (Double(place) + 0.5) * step
    let stretch: Double = isAntialiased ? max(step, 1) : 1
    let reach: Double = radius * stretch
    let first = max(0, Int(bounding: (middle - reach - 0.5).rounded(.up)))
    let last = min(extent - 1, Int(bounding: (middle + reach - 0.5).rounded(.down)))
    var result = [Double](repeating: 0, count: extent)
    guard first <= last else { return result }
    for index in first...last {
      result[index] = kernel(((Double(index) + 0.5 - middle) / stretch).magnitude)
    }
    let sum: Double = result.reduce(0, +)
    return sum == 0 ? result : result.map { $0 / sum }
  }

  /// How much of each element lies in the interval that becomes one.
  private func areas(_ place: Int, extent: Int, step: Double) -> [Double] {
    let (start, end) = (Double(place) * step, Double(place + 1) * step)
    return (0..<extent).map { index in
      max(0, min(end, Double(index + 1)) - max(start, Double(index))) / step
    }
  }

  /// Keys's cubic with a = −½ at a point; TensorFlow reads it from a table of 1024 places for each pixel.
  private func cubic(_ point: Double, extent: Int) -> [Double] {
    let whole: Double = point.rounded(.down)
    let part: Double = ((point - whole) * 1024).rounded(.toNearestOrEven) / 1024
    var result = [Double](repeating: 0, count: extent)
    for offset in -1...2 {
      let index = Int(bounding: whole) + offset
      guard (0..<extent).contains(index) else { continue }
      result[index] = Self.keys((part - Double(offset)).magnitude)
    }
    let sum: Double = result.reduce(0, +)
    return sum == 0 ? result : result.map { $0 / sum }
  }

  private static func keys(_ distance: Double) -> Double {
    let d: Double = distance
    if d < 1 { return (1.5 * d - 2.5) * d * d + 1 }
    return d < 2 ? ((-0.5 * d + 2.5) * d - 4) * d + 2 : 0
  }

  /// How far the kernel reaches, in pixels.
  private var radius: Double {
    switch interpolation {
    case "bilinear": 1
    case "lanczos3": 3
    case "lanczos5": 5
    case "gaussian": 1.5
    default: 2
    }
  }

  /// The kernel at a distance.
  private func kernel(_ distance: Double) -> Double {
    let d: Double = distance
    switch interpolation {
    case "bilinear": return max(0, 1 - d)
    case "lanczos3", "lanczos5":
      if d > radius { return 0 }
      if d < 1e-3 { return 1 }
      return radius * sin(.pi * d) * sin(.pi * d / radius) / (.pi * .pi * d * d)
    case "gaussian": return d < radius ? exp(-2 * d * d) : 0
    case "mitchellcubic":
      if d < 1 { return (7.0 / 6 * d - 2) * d * d + 8.0 / 9 }
      return d < 2 ? ((-7.0 / 18 * d + 2) * d - 10.0 / 3) * d + 16.0 / 9 : 0
    default: return Self.keys(d)
    }
  }
}
