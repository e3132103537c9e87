import Imaging

extension Picture {
  /// Crops the black or white frame of a scan, and the outermost hundredth of each side, where scans are often uneven.
  /// Otherwise the network would learn the frame as a part of the style.
  ///
  /// At each side, the frame consists of the outermost rows or columns that are almost uniformly black or white. At
  /// most a twelfth of the picture's height or width is cropped there. The soft edge of a frame is cropped, too.
  /// Pictures with a side below 64 pixels are not changed.
  public func withoutFrame() throws -> Picture {
    guard min(width, height) >= 64 else { return self }
    let rows: [LineStatistics] = lines(count: height, length: width) { $0 * width + $1 }
    let columns: [LineStatistics] = lines(count: width, length: height) { $1 * width + $0 }
    let top: Int = Self.frame(rows)
    let bottom: Int = Self.frame(rows.reversed())
    let left: Int = Self.frame(columns)
    let right: Int = Self.frame(columns.reversed())
    return try cropped(
      x: left, y: top, width: width - left - right, height: height - top - bottom)
  }

  /// The mean and the standard deviation of luma along a row or column.
  private struct LineStatistics {
    var mean: Double
    var deviation: Double
    /// Whether the row or column may be part of a frame.
    var isPlain: Bool { deviation < 8 && (mean < 20 || mean > 235) }
  }

  private func lines(count: Int, length: Int, _ index: (_ line: Int, _ position: Int) -> Int)
    -> [LineStatistics]
  {
    withPixels { (pixels: UnsafeBufferPointer<UInt8>) -> [LineStatistics] in
      (0..<count).map { (line: Int) -> LineStatistics in
        var (sum, squares): (Double, Double) = (0, 0)
        for place in 0..<length {
          let pixel: Int = index(line, place) * 3
          let luma = Double(Luma.of(pixels, at: pixel))
          sum += luma
          squares += luma * luma
        }
        let mean: Double = sum / Double(length)
        let variance: Double = max(0, squares / Double(length) - mean * mean)
        return LineStatistics(mean: mean, deviation: variance.squareRoot())
      }
    }
  }

  /// Returns how many rows or columns to crop at a side. `lines` begins at that side.
  private static func frame(_ lines: [LineStatistics]) -> Int {
    let plain: Int = lines.prefix(lines.count / 12).prefix { $0.isPlain }.count
    let edge: Double = (plain > 0 ? 0.025 : 0.01) * Double(lines.count)
    return plain + Int(edge.rounded(.up))
  }
}
