import Foundation
import Graph
import Operators

/// Resizes an image as Keras and TensorFlow do. The sampling points are at the centres of pixels.
///
/// **Source:** the implementations of `tf.image.resize` and `ScaleAndTranslate`. `tf.image.resize` calls
/// `ScaleAndTranslate` for antialiasing, and for the Lanczos, Gaussian and Mitchell kernels.
struct KerasResizing {
  /// The new height, in pixels.
  let height: Int
  /// The new width, in pixels.
  let width: Int
  /// The interpolation: nearest, bilinear, bicubic, area, lanczos3, lanczos5, gaussian or mitchellcubic.
  let interpolation: String
  /// Whether downsampling widens the kernel by the scale, so that all input pixels contribute to the result.
  var isAntialiased = false
  /// Whether the image is cropped to the new aspect ratio before it is resized.
  var crops = false
  /// Whether the image is padded to the new aspect ratio before it is resized.
  var pads = false
  /// The value of the added pixels if `pads` is true.
  var fill: Float = 0

  init(height: Int, width: Int, interpolation: String) {
    (self.height, self.width, self.interpolation) = (height, width, interpolation)
  }

  /// The supported interpolations.
  private static let kinds: [String] = [
    "nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic",
  ]

  /// Resizes an image `[N, C, H, W]`.
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
      throw context.invalid(
        "it both crops and pads the picture to the aspect ratio, expected one of them.")
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
        "it resizes by '\(interpolation)' or keeps the aspect ratio, which needs a picture of known size. State its extents."
      )
    }
    return (rows, columns)
  }

  /// Crops the image to its centre, or pads it. The result has the new aspect ratio.
  private func framed(_ value: Graph.ValueID, _ context: KerasContext) throws -> Graph.ValueID {
    let (rows, columns) = try size(value, context)
    // Returns side · own / other. Keras computes this length in float32 and rounds it down.
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
    // Keras pads opposite sides by the same amount. If the total is odd, Keras pads one pixel less than the total.
    let (top, left) = ((max(rows, tall) - rows) / 2, (max(columns, wide) - columns) / 2)
    guard top > 0 || left > 0 else { return value }
    return try context.add(
      PaddingOperator(
        amounts: EdgeAmounts(top: top, bottom: top, left: left, right: left),
        mode: .constant(fill)),
      value)
  }

  // MARK: - Weights of the input elements

  /// Returns a matrix `[count, extent]` for a resized axis: the weight of each input element in each output element.
  private func matrix(from extent: Int, to count: Int) -> Constant {
    let resizing = self
    return Constant(
      [count, extent],
      recipe: "\(interpolation) \(isAntialiased) \(extent) → \(count)", of: []
    ) {
      (0..<count).flatMap { position -> [Float] in
        resizing.weights(position, of: extent, count: count).map { Float($0) }
      }
    }
  }

  private func weights(_ position: Int, of extent: Int, count: Int) -> [Double] {
    let step: Double = Double(extent) / Double(count)
    if interpolation == "area" { return areas(position, extent: extent, step: step) }
    if interpolation == "bicubic", !isAntialiased {
      return cubic((Double(position) + 0.5) * step - 0.5, extent: extent)
    }
    let middle: Double = (Double(position) + 0.5) * step
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

  /// Returns the weight of each input element for the output element at `position`. The output element covers an
  /// interval of the input. The weight is the fraction of this interval that the input element covers.
  private func areas(_ position: Int, extent: Int, step: Double) -> [Double] {
    let (start, end) = (Double(position) * step, Double(position + 1) * step)
    return (0..<extent).map { index in
      max(0, min(end, Double(index + 1)) - max(start, Double(index))) / step
    }
  }

  /// Returns the weight of each input element by Keys's cubic kernel with a = −½, centred at `point`. The function
  /// rounds the point to 1/1024 pixel, because TensorFlow reads the kernel from a table with that step.
  private func cubic(_ point: Double, extent: Int) -> [Double] {
    let integer: Double = point.rounded(.down)
    let part: Double = ((point - integer) * 1024).rounded(.toNearestOrEven) / 1024
    var result = [Double](repeating: 0, count: extent)
    for offset in -1...2 {
      let index = Int(bounding: integer) + offset
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

  /// The radius of the kernel, in pixels.
  private var radius: Double {
    switch interpolation {
    case "bilinear": 1
    case "lanczos3": 3
    case "lanczos5": 5
    case "gaussian": 1.5
    default: 2
    }
  }

  /// Returns the kernel's value at a distance from the kernel's centre. The distance is in pixels.
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
