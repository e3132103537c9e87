import Foundation
import ModelFormat

/// Finds the smallest widths that hold a quality, layer by layer: layers that the output depends on stay wide.
///
/// What each layer alone loses at each width is measured once, as the mean square of the output's error; the errors
/// of several layers are taken to add up. Of all choices within a budget of error the one of fewest bytes is that
/// which, for some price of error, every layer takes for itself (Lagrange). As errors do not add up exactly, the whole
/// is measured then, and the budget mended a few times.
public struct WidthSearch {
  /// The quality to be held, in decibels of peak signal to noise.
  public let target: Double
  /// The widths to choose from.
  public let widths: [Int]
  private let settings: CompressionSettings

  /// A search that begins with settings for everything but widths.
  public init(target: Double, widths: [Int] = [8, 6, 4, 3, 2], _ settings: CompressionSettings) {
    self.target = target
    self.widths = widths.sorted(by: >)
    self.settings = settings
  }

  /// What a layer costs and loses at a width.
  private struct Choice {
    let bits: Int
    let bytes: Int
    let error: Double
  }

  /// The settings with the widths that were found.
  ///
  /// - Parameters:
  ///   - folder: For models that are tried out.
  ///   - measure: The quality of a compressed model in decibels.
  ///   - progress: Called with the share of the work that is done, and the layer that is tried.
  /// - Throws: ``CompressionError`` where not even the widest choice holds the quality.
  public func settings(
    for file: ModelFile, in folder: URL, measure: (URL) throws -> Double,
    progress: (Double, String) -> Void
  ) throws -> CompressionSettings {
    let isProgram: Bool = if case .mlProgram? = file.model.type { true } else { false }
    let place: URL = folder.appendingPathComponent(isProgram ? "trial.mlpackage" : "trial.mlmodel")
    func quality(_ settings: CompressionSettings) throws -> (Double, CompressionReport) {
      let report = try ModelCompressor(settings).compress(file, to: place)
      return (try measure(place), report)
    }
    var widest: CompressionSettings = settings
    widest.bits = widths.first ?? 8
    let (best, report) = try quality(widest)
    guard best >= target else {
      throw CompressionError(
        "With \(widest.bits) bits everywhere the outputs are \(best.text) dB from the original's, less than the "
          + "\(target.text) dB that are asked for; ask for less, or for --bits 16.")
    }
    var names: [String] = []
    for tensor in report.tensors
    where tensor.bits <= 8 && settings.includes(tensor.layer) && !names.contains(tensor.layer) {
      names.append(tensor.layer)
    }
    var choices: [[Choice]] = []
    for (position, name) in names.enumerated() {
      var ofLayer: [Choice] = []
      for (step, width) in widths.enumerated() {
        progress(
          (Double(position) + Double(step) / Double(widths.count)) / Double(names.count) * 0.95,
          name)
        var alone: CompressionSettings = settings
        (alone.bits, alone.layers) = (width, [name])
        let (decibels, report) = try quality(alone)
        let bytes: Int = report.tensors.filter { $0.layer == name }.reduce(0) { $0 + $1.bytesAfter }
        ofLayer.append(Choice(bits: width, bytes: bytes, error: pow(10, -decibels / 10)))
      }
      choices.append(ofLayer)
    }
    return try mended(widest, names, choices) { try quality($0).0 }
  }

  /// Chooses within a budget, measures, and mends the budget.
  private func mended(
    _ widest: CompressionSettings, _ names: [String], _ choices: [[Choice]],
    quality: (CompressionSettings) throws -> Double
  ) throws -> CompressionSettings {
    let allowed: Double = pow(10, -target / 10)
    var budget: Double = allowed
    var best: (bytes: Int, settings: CompressionSettings)?
    for _ in 0..<8 {
      let chosen: [Choice] = Self.cheapest(choices, budget)
      var trial: CompressionSettings = widest
      trial.widths = Dictionary(
        zip(names, chosen.map(\.bits)), uniquingKeysWith: { first, _ in first })
      let decibels: Double = try quality(trial)
      let bytes: Int = chosen.reduce(0) { $0 + $1.bytes }
      if decibels >= target, bytes < best?.bytes ?? .max { best = (bytes, trial) }
      // What was measured beside what was allowed says how far errors are from adding up.
      let factor: Double = pow(10, (decibels - target) / 10)
      if (1...1.02).contains(factor) { break }
      budget *= decibels < target ? min(factor, 0.9) : min(max(factor, 1.02), 4)
    }
    return best?.settings ?? widest
  }

  /// The choice of fewest bytes within a budget of error.
  private static func cheapest(_ choices: [[Choice]], _ budget: Double) -> [Choice] {
    func choose(_ price: Double) -> [Choice] {
      choices.compactMap { ofLayer in
        ofLayer.min {
          Double($0.bytes) + price * $0.error < Double($1.bytes) + price * $1.error
        }
      }
    }
    var (low, high) = (-20.0, 40.0)
    for _ in 0..<60 {
      let middle: Double = (low + high) / 2
      let error: Double = choose(pow(10, middle)).reduce(0) { $0 + $1.error }
      if error > budget { low = middle } else { high = middle }
    }
    return choose(pow(10, high))
  }
}

extension Double {
  fileprivate var text: String { String(format: "%.1f", self) }
}
