import Imaging

extension Picture {
  /// The picture without the black or white frame of a scan, and without the outermost hundredth, where
  /// scans are ragged: frames would be learned as part of a style.
  ///
  /// Lines at a side belong to the frame while they are nearly one black or white, up to a twelfth of
  /// the side; where there is a frame its soft edge goes too. Pictures below 64 pixels stay as they are.
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

  /// Mean and deviation of luma along a line.
  private struct LineStatistics {
    var mean: Double
    var deviation: Double
    /// Whether it could be part of a scan's frame.
    var isPlain: Bool { deviation < 8 && (mean < 20 || mean > 235) }
  }

  private func lines(count: Int, length: Int, _ index: (_ line: Int, _ place: Int) -> Int)
    -> [LineStatistics]
  {
    withPixels { (pixels: UnsafeBufferPointer<UInt8>) -> [LineStatistics] in
      (0..<count).map { (line: Int) -> LineStatistics in
        var (sum, squares): (Double, Double) = (0, 0)
        for place in 0..<length {
          let pixel: Int = index(line, place) * 3
          let luma: Double =
            0.299 * Double(pixels[pixel]) + 0.587 * Double(pixels[pixel + 1])
            + 0.114 * Double(pixels[pixel + 2])
          sum += luma
          squares += luma * luma
        }
        let mean: Double = sum / Double(length)
        let variance: Double = max(0, squares / Double(length) - mean * mean)
        return LineStatistics(mean: mean, deviation: variance.squareRoot())
      }
    }
  }

  /// How many lines to take off a side that begins with these.
  private static func frame(_ lines: [LineStatistics]) -> Int {
    let plain: Int = lines.prefix(lines.count / 12).prefix { $0.isPlain }.count
    let edge: Double = (plain > 0 ? 0.025 : 0.01) * Double(lines.count)
    return plain + Int(edge.rounded(.up))
  }
}
