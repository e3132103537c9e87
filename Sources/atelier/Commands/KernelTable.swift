import Engine
import ModelTools

/// Prints the output of `atelier bench --kernels`.
enum KernelTable {
  /// A chosen kernel counts as near the fastest if its time is at most this multiple of the fastest candidate's time.
  private static let allowed = 1.05

  /// Prints a line for every kind of convolution. Then prints for how many kinds the chosen kernel is near the fastest
  /// candidate, and the total times.
  static func show(_ comparison: KernelComparison, of model: String, asJSON: Bool) throws {
    if asJSON { return try Output.json(comparison) }
    Output.line("\(model), \(comparison.precision): chosen / best, fixed order / best")
    for entry in comparison.entries {
      let times: String = entry.times.map { time in
        let mark = time.kernel == entry.chosen ? "*" : ""
        return "\(mark)\(time.kernel) \(time.milliseconds.text(decimals: 3))"
      }
      .joined(separator: ", ")
      let count = entry.count > 1 ? " × \(entry.count)" : ""
      Output.line(
        "  \(entry.ratio(of: entry.chosen).text(decimals: 2))"
          + "  \(entry.ratio(of: entry.fixed).text(decimals: 2))  \(entry.name)\(count): \(times) ms"
      )
    }
    let near: Int = comparison.entries.filter { $0.ratio(of: $0.chosen) <= allowed }.count
    Output.line(
      "  \(near) of \(comparison.entries.count) choices are within 5 % of the best;"
        + " together \(total(comparison) { $0.chosen }.text(decimals: 2)) ms,"
        + " in the fixed order \(total(comparison) { $0.fixed }.text(decimals: 2)),"
        + " with the best of each \(best(comparison).text(decimals: 2))")
  }

  private static func total(
    _ comparison: KernelComparison, _ kernel: (KernelComparison.Entry) -> String
  ) -> Double {
    comparison.entries.reduce(0) { sum, entry in
      let name: String = kernel(entry)
      let time: Double = entry.times.first { $0.kernel == name }?.milliseconds ?? 0
      return sum + time * Double(entry.count)
    }
  }

  private static func best(_ comparison: KernelComparison) -> Double {
    comparison.entries.reduce(0) { sum, entry in
      sum + (entry.times.map(\.milliseconds).min() ?? 0) * Double(entry.count)
    }
  }
}
