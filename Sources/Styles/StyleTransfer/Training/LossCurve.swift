import Foundation

/// A plot of the losses of a training: one line per loss over the iterations, on a logarithmic scale.
public struct LossCurve {
  private let losses: [StyleLosses]
  private let title: String

  private static let width = 720.0
  private static let height = 420.0
  private static let left = 64.0
  private static let right = 150.0
  private static let top = 44.0
  private static let bottom = 44.0

  /// Creates a plot of losses.
  public init(_ losses: [StyleLosses], title: String) {
    self.losses = losses
    self.title = title
  }

  /// The plot as SVG.
  public var svg: String {
    let lines: [(name: String, color: String, values: [Double])] = [
      ("total", "#222222", losses.map(\.total)), ("style", "#c0392b", losses.map(\.style)),
      ("content", "#2471a3", losses.map(\.content)),
      ("smoothness", "#7d8c2c", losses.map(\.smoothness)),
      ("stability", "#8e5aa8", losses.map(\.stability)),
      ("colour", "#d68910", losses.map(\.color)),
      ("neighbours", "#138d75", losses.map(\.neighbors)),
    ].filter { line in line.values.contains { $0 > 0 } }
    let positive: [Double] = lines.flatMap(\.values).filter { $0 > 0 && $0.isFinite }
    let lowest: Double = floor(log10(max(positive.min() ?? 0.1, 1e-6)))
    let highest: Double = max(lowest + 1, ceil(log10(max(positive.max() ?? 1, 1e-6))))
    var parts: [String] = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Int(Self.width))\""
        + " height=\"\(Int(Self.height))\" font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
      text(title, x: Self.left, y: 24, size: 15),
    ]
    for power in Int(lowest)...Int(highest) {
      let y: Double = height(of: Double(power), lowest, highest)
      parts.append(
        "<path d=\"M\(number(Self.left)) \(number(y))H\(number(Self.width - Self.right))\""
          + " stroke=\"#dddddd\"/>")
      parts.append(text(Self.label(power), x: Self.left - 8, y: y + 4, anchor: "end"))
    }
    let last: Int = losses.last?.iteration ?? 0
    for step in 0...4 {
      let x: Double = Self.left + plotWidth * Double(step) / 4
      parts.append(
        text("\(last * step / 4)", x: x, y: Self.height - Self.bottom + 18, anchor: "middle"))
    }
    parts.append(
      text("iteration", x: Self.left + plotWidth / 2, y: Self.height - 8, anchor: "middle"))
    for (index, line) in lines.enumerated() {
      parts.append(path(line.values, lowest, highest, color: line.color))
      let y: Double = Self.top + 16 * Double(index + 1)
      parts.append(
        "<path d=\"M\(number(Self.width - Self.right + 14)) \(number(y - 4))h20\""
          + " stroke=\"\(line.color)\" stroke-width=\"2\"/>")
      parts.append(text(line.name, x: Self.width - Self.right + 40, y: y))
    }
    parts.append("</svg>")
    return parts.joined(separator: "\n") + "\n"
  }

  private var plotWidth: Double { Self.width - Self.left - Self.right }

  private func height(of power: Double, _ lowest: Double, _ highest: Double) -> Double {
    let height: Double = Self.height - Self.top - Self.bottom
    return Self.top + height * (highest - power) / (highest - lowest)
  }

  /// Returns the SVG path of a line with at most about 240 points. Each point is the mean of adjacent values.
  private func path(
    _ values: [Double], _ lowest: Double, _ highest: Double, color: String
  ) -> String {
    let group: Int = max(1, values.count / 240)
    var points: [String] = []
    for start in stride(from: 0, to: values.count, by: group) {
      let part = values[start..<min(start + group, values.count)].filter { $0 > 0 && $0.isFinite }
      guard !part.isEmpty else { continue }
      let mean: Double = part.reduce(0, +) / Double(part.count)
      let x: Double =
        Self.left + plotWidth * (Double(start) + Double(group) / 2) / Double(max(values.count, 1))
      points.append("\(number(x)) \(number(height(of: log10(mean), lowest, highest)))")
    }
    return "<path d=\"M\(points.joined(separator: "L"))\" fill=\"none\" stroke=\"\(color)\""
      + " stroke-width=\"1.5\"/>"
  }

  private func text(
    _ words: String, x: Double, y: Double, size: Int = 12, anchor: String = "start"
  ) -> String {
    let safe: String = words.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
    return "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(size)\""
      + " text-anchor=\"\(anchor)\" fill=\"#333333\">\(safe)</text>"
  }

  private static func label(_ power: Int) -> String {
    power >= 0
      ? "1" + String(repeating: "0", count: power)
      : "0." + String(repeating: "0", count: -power - 1) + "1"
  }

  private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
