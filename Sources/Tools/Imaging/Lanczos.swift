import CKernels
import Foundation

/// The weights that make `target` samples of `source` ones by the Lanczos kernel of three lobes.
///
/// Sample i of the target lies at (i + ½) · source / target of the source. The kernel
/// sinc(x) · sinc(x / 3), |x| < 3, is widened by that ratio where the picture shrinks, so that
/// no detail folds back. Near an edge the lobes that stick out are dropped; weights always add up to 1.
///
/// libvips has this kernel for shrinking only; here one definition serves both ways, and results do
/// not depend on libvips' version.
///
/// **Source:** C. E. Duchon, Lanczos Filtering in One and Two Dimensions, 1979,
/// doi:10.1175/1520-0450(1979)018<1016:LFIOAT>2.0.CO;2.
struct LanczosWeights {
  /// The first source sample of each target sample.
  let starts: [Int32]
  /// How many source samples each target sample takes.
  let counts: [Int32]
  /// `stride` weights for each target sample; those beyond its count are 0.
  let weights: [Float]
  /// The most source samples that a target sample takes.
  let stride: Int

  init(source: Int, target: Int) {
    let ratio: Double = Double(source) / Double(target)
    let width: Double = max(ratio, 1)
    let reach: Double = 3 * width
    let stride: Int = min(source, Int(reach.rounded(.up)) * 2 + 1)
    var starts: [Int32] = []
    var counts: [Int32] = []
    var weights: [Float] = [Float](repeating: 0, count: stride * target)
    starts.reserveCapacity(target)
    counts.reserveCapacity(target)
    for index in 0..<target {
      let centre: Double = (Double(index) + 0.5) * ratio
      let first: Int = max(0, Int(centre - reach + 0.5))
      let end: Int = min(source, min(Int(centre + reach + 0.5), first + stride))
      var values: [Double] = (first..<end).map { (sample: Int) -> Double in
        LanczosWeights.kernel((Double(sample) + 0.5 - centre) / width)
      }
      let sum: Double = values.reduce(0, +)
      values = values.map { $0 / sum }
      for (tap, value) in values.enumerated() { weights[index * stride + tap] = Float(value) }
      starts.append(Int32(first))
      counts.append(Int32(end - first))
    }
    self.starts = starts
    self.counts = counts
    self.weights = weights
    self.stride = stride
  }

  private static func kernel(_ x: Double) -> Double {
    guard abs(x) < 3 else { return 0 }
    guard abs(x) > 1e-9 else { return 1 }
    let angle: Double = x * .pi
    return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
  }
}

/// A part of a plane at another size: rows are weighed first, then columns, both in single precision.
func resample(
  _ plane: PixelBytes, planeWidth: Int, region: PixelRegion, components: Int, toWidth: Int,
  height: Int
) throws -> PixelBytes {
  let across = LanczosWeights(source: region.width, target: toWidth)
  let down = LanczosWeights(source: region.height, target: height)
  let rowCount: Int = region.width * components
  var sums: [Float] = [Float](repeating: 0, count: rowCount + 1)
  return try PixelBytes(count: toWidth * height * components) {
    (target: UnsafeMutableBufferPointer<UInt8>) in
    plane.withBytes { (source: UnsafeBufferPointer<UInt8>) in
      guard let to = target.baseAddress, let from = source.baseAddress else { return }
      // Safe: the caller found the region to lie inside the plane; the weights name samples inside
      // the region; the sums have one float more than the region has columns.
      let corner: UnsafePointer<UInt8> = from + (region.y * planeWidth + region.x) * components
      let rowStride: Int = planeWidth * components
      sums.withUnsafeMutableBufferPointer { (sums: inout UnsafeMutableBufferPointer<Float>) in
        guard let row = sums.baseAddress else { return }
        across.weights.withUnsafeBufferPointer { (columns: UnsafeBufferPointer<Float>) in
          down.weights.withUnsafeBufferPointer { (rows: UnsafeBufferPointer<Float>) in
            guard let rowWeights = rows.baseAddress else { return }
            for y in 0..<height {
              ck_weigh_rows(
                row, corner + Int(down.starts[y]) * rowStride, rowStride,
                rowWeights + y * down.stride, Int(down.counts[y]), rowCount)
              ck_weigh_columns(
                to + y * toWidth * components, row, across.starts, across.counts,
                columns.baseAddress, across.stride, toWidth, Int32(components))
            }
          }
        }
      }
    }
  }
}
