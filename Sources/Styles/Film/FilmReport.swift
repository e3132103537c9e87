import CFilm
import FFmpeg
import Files
import Foundation
import Imaging

/// The warping errors of a film and of its painting: how much they change along the motion of the film.
///
///     E_warp = mean over the trusted pixels p and the channels of (frame_t(p) − frame_s(p + flow(p)))²,  s = t − distance
///
/// Samples are 0…1. The flow is that of the original. A pixel is trusted if the forward and the backward flow agree,
/// and if the original looks alike in both frames. Pairs of frames across a cut are left out. Frame s is interpolated by
/// cubic B-splines, because a less exact interpolation changes sharp pictures more than soft ones.
///
/// **Source:** Lai et al., “Learning Blind Video Temporal Consistency”, arXiv:1808.00449, section 4.2. The paper takes
/// the sum over the channels, and interpolates linearly.
public struct FilmReport: Codable, Sendable {
  /// The errors of all pairs of frames at one distance.
  public struct Distance: Codable, Sendable {
    /// The distance, in frames.
    public var frames: Int
    /// The mean E_warp of the original.
    public var original: Double
    /// The mean E_warp of the painting.
    public var painting: Double
    /// E_warp of each pair of the painting.
    public var paintings: [Double]
    /// E_warp of each pair of the original.
    public var originals: [Double]
    /// The mean E_warp of the painting divided by that of the original. Nil if the original does not change.
    public var ratio: Double? { original > 0 ? painting / original : nil }
  }

  /// The original's file.
  public var film: String
  /// The painting's file.
  public var paintedFilm: String
  /// The errors of neighbouring frames, and of frames that are ten apart.
  public var distances: [Distance]

  /// Compares a film with its painting.
  public init(of film: String, painted: String, settings: FilmSettings) throws {
    let programs = try FilmPrograms()
    let original = try FilmDescription(film, programs: programs)
    let painting = try FilmDescription(painted, programs: programs)
    self.film = film
    paintedFilm = painted
    let size: PictureSize = painting.size
    let one = try FilmDecoder(
      original, FilmDecoder.Settings(size: size, rate: settings.rate, range: settings.range),
      programs: programs)
    let other = try FilmDecoder(
      painting, FilmDecoder.Settings(size: size, rate: nil), programs: programs)
    defer {
      one.stop()
      other.stop()
    }
    distances = [1, 10].map {
      Distance(frames: $0, original: 0, painting: 0, paintings: [], originals: [])
    }
    var past: [(reduced: ReducedFrame, original: Picture, painting: Picture)] = []
    // The motion to each frame of `past` from the one after it.
    var steps: [FrameMotion] = []
    while let frame = try one.next(), let painted = try other.next() {
      let reduced = ReducedFrame(frame.picture)
      if let last = past.last, reduced.isCut(after: last.reduced) { (past, steps) = ([], []) }
      if let last = past.last { steps.append(try reduced.motion(to: last.reduced)) }
      for index in distances.indices where past.count >= distances[index].frames {
        let before = past[past.count - distances[index].frames]
        let motion: FrameMotion = try reduced.motion(
          to: before.reduced, along: Array(steps.suffix(distances[index].frames)))
        distances[index].originals.append(try Self.error(frame.picture, before.original, motion))
        distances[index].paintings.append(try Self.error(painted.picture, before.painting, motion))
      }
      past.append((reduced, frame.picture, painted.picture))
      if past.count > 10 {
        past.removeFirst()
        steps.removeFirst()
      }
    }
    for index in distances.indices {
      distances[index].original = Self.mean(distances[index].originals)
      distances[index].painting = Self.mean(distances[index].paintings)
    }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(max(1, values.count))
  }

  /// Returns E_warp of two pictures along the motion from the first one to the second.
  static func error(
    _ picture: Picture, _ other: Picture, _ motion: FrameMotion
  ) throws -> Double {
    var (sum, count) = (0.0, 0.0)
    let isDone: Bool = picture.withPixels { one in
      other.withPixels { two in
        motion.withMotion { motion in
          guard let one = one.baseAddress, let two = two.baseAddress else { return true }
          return cf_warping_error(
            one, two, motion, Int64(picture.width), Int64(picture.height), &sum, &count)
        }
      }
    }
    guard isDone else { throw FrameFinisher.memoryError(picture) }
    return count > 0 ? sum / (count * 3 * 255 * 255) : 0
  }

  /// The mean errors in one line.
  public var summary: String {
    distances.map { distance in
      let apart: String =
        distance.frames == 1 ? "neighbouring frames" : "\(distance.frames) frames apart"
      return
        "E_warp of \(apart): painting \(Self.text(distance.painting)), film \(Self.text(distance.original))"
        + (distance.ratio.map { " (× \(String(format: "%.2f", $0)))" } ?? "")
    }.joined(separator: "; ")
  }

  private static func text(_ value: Double) -> String { String(format: "%.5f", value) }

  /// Writes the report as JSON, and its chart with the same name and `.svg`.
  public func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try WholeFile.write(encoder.encode(self), to: path)
    let chart = URL(fileURLWithPath: path).deletingPathExtension().appendingPathExtension("svg")
    try WholeFile.write(Data(self.chart.utf8), to: chart.path)
  }

  /// A chart of the errors of neighbouring frames over time, in levels of 0…255.
  private var chart: String {
    let (width, height, left, top) = (760.0, 260.0, 50.0, 30.0)
    let rows: [(name: String, color: String, values: [Double])] = distances.flatMap { distance in
      let dash: String = distance.frames == 1 ? "" : ", \(distance.frames) frames apart"
      return [
        ("film\(dash)", distance.frames == 1 ? "#4878a8" : "#a8c4dc", distance.originals),
        ("painting\(dash)", distance.frames == 1 ? "#c05030" : "#e8b0a0", distance.paintings),
      ].map { ($0.0, $0.1, $0.2.map { ($0 * 255 * 255).squareRoot() }) }
    }
    let most: Double = max(1, rows.flatMap(\.values).max() ?? 1)
    let count: Int = max(2, rows.map(\.values.count).max() ?? 2)
    var svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width + left + 20)) \(Int(height + top + 50))\""
      + " font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      + "<text x=\"\(left)\" y=\"18\">Change along the motion (root of E_warp, levels of 255) over the frames</text>\n"
    for step in 0...4 {
      let y: Double = top + height * (1 - Double(step) / 4)
      svg +=
        "<path d=\"M\(left) \(y)H\(left + width)\" stroke=\"#ddd\"/>"
        + "<text x=\"4\" y=\"\(y + 4)\">\(String(format: "%.1f", most * Double(step) / 4))</text>\n"
    }
    for (index, row) in rows.enumerated() {
      let offset: Int = count - row.values.count
      let points: String = row.values.enumerated().map { position, value in
        let x: Double = left + width * Double(position + offset) / Double(count - 1)
        return String(format: "%.1f,%.1f", x, top + height * (1 - value / most))
      }.joined(separator: " ")
      svg +=
        "<polyline fill=\"none\" stroke=\"\(row.color)\" stroke-width=\"1.5\" points=\"\(points)\"/>\n"
      svg +=
        "<text x=\"\(left + Double(index) * 180)\" y=\"\(top + height + 30)\" fill=\"\(row.color)\">\(row.name)</text>\n"
    }
    return svg + "</svg>\n"
  }
}
