import CKernels
import Foundation

/// The weights that resample one axis from `source` to `target` samples with the Lanczos kernel of three lobes.
///
/// The centre of target sample i is at position (i + ½) · source / target, in samples of the source. The kernel is
/// sinc(x) · sinc(x / 3) for |x| < 3. If the picture shrinks, the kernel is widened by the ratio source / target, which
/// prevents aliasing. Near an edge, the part of the kernel outside of the picture is dropped. The weights of a target
/// sample always add up to 1.
///
/// libvips has this kernel only for shrinking. With our own kernel, shrinking and enlarging use the same weights
/// formula, and results do not depend on the version of libvips.
///
/// **Source:** C. E. Duchon, Lanczos Filtering in One and Two Dimensions, 1979,
/// doi:10.1175/1520-0450(1979)018<1016:LFIOAT>2.0.CO;2.
struct LanczosWeights {
  /// For each target sample: the index of the first source sample that contributes to it.
  let starts: [Int32]
  /// For each target sample: how many source samples contribute to it.
  let counts: [Int32]
  /// The weights: `stride` for each target sample. Weights beyond the target sample's count are 0.
  let weights: [Float]
  /// How many weights are stored for each target sample. No element of ``counts`` is larger.
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

/// Resamples a region of a plane, first along rows, then along columns. Computes in float32.
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
      // Safe: the caller has checked that the region is inside the plane. The weights refer to samples inside the
      // region. `sums` has one float more than a row of the region has samples.
      let corner: UnsafePointer<UInt8> = from + (region.y * planeWidth + region.x) * components
      let rowStride: Int = planeWidth * components
      sums.withUnsafeMutableBufferPointer { (sums: inout UnsafeMutableBufferPointer<Float>) in
        guard let row = sums.baseAddress else { return }
        across.weights.withUnsafeBufferPointer { (columns: UnsafeBufferPointer<Float>) in
          down.weights.withUnsafeBufferPointer { (rows: UnsafeBufferPointer<Float>) in
            guard let rowWeights = rows.baseAddress else { return }
            for y in 0..<height {
              ck_weighted_sum_of_rows(
                row, corner + Int(down.starts[y]) * rowStride, rowStride,
                rowWeights + y * down.stride, Int(down.counts[y]), rowCount)
              ck_weighted_sum_of_columns(
                to + y * toWidth * components, row, across.starts, across.counts,
                columns.baseAddress, across.stride, toWidth, Int32(components))
            }
          }
        }
      }
    }
  }
}
