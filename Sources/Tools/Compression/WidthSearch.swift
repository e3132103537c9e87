import Foundation
import ModelFormat

/// Finds a width in bits for each layer. The model becomes as small as possible while its output keeps a given quality.
/// Layers on which the output depends strongly stay wide.
///
/// The search first measures the mean squared error of the output for each layer and width, with only this layer
/// compressed. It assumes that the errors of several layers add up. With a Lagrange multiplier (a price of error), each
/// layer then chooses its width independently. The right multiplier gives the fewest bytes within an error budget.
/// Because errors do not add up exactly, the search measures the result and corrects the budget a few times.
public struct WidthSearch {
  /// The quality of the output to keep: its peak signal-to-noise ratio in dB, compared with the original's output.
  public let target: Double
  /// The widths to choose from, in bits. The largest width is first.
  public let widths: [Int]
  private let settings: CompressionSettings

  /// Creates a search. `settings` states everything but the widths.
  public init(target: Double, widths: [Int] = [8, 6, 4, 3, 2], _ settings: CompressionSettings) {
    self.target = target
    self.widths = widths.sorted(by: >)
    self.settings = settings
  }

  /// The size of a layer at a width, and the error of the output if only this layer is compressed.
  private struct Choice {
    let bits: Int
    let bytes: Int
    let error: Double
  }

  /// Runs the search and returns the settings with the widths that it found.
  ///
  /// - Parameters:
  ///   - folder: The folder for trial models.
  ///   - measure: Returns the quality of a compressed model in dB.
  ///   - progress: Called with the share of the work that is done, 0 to 1, and the name of the layer that is tried.
  /// - Throws: ``CompressionError`` if even the largest width does not preserve the quality.
  public func settings(
    for file: ModelFile, in folder: URL, measure: (URL) throws -> Double,
    progress: (Double, String) -> Void
  ) throws -> CompressionSettings {
    let isProgram: Bool = if case .mlProgram? = file.model.type { true } else { false }
    let trialFile: URL = folder.appendingPathComponent(
      isProgram ? "trial.mlpackage" : "trial.mlmodel")
    func quality(_ settings: CompressionSettings) throws -> (Double, CompressionReport) {
      let report = try ModelCompressor(settings).compress(file, to: trialFile)
      return (try measure(trialFile), report)
    }
    var widest: CompressionSettings = settings
    widest.bits = widths.first ?? 8
    let (best, report) = try quality(widest)
    guard best >= target else {
      throw CompressionError(
        "With \(widest.bits) bits everywhere, the PSNR of the outputs is \(best.text) dB, expected"
          + " at least \(target.text) dB. Choose a smaller --until, or --bits 16.")
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
    return try corrected(widest, names, choices) { try quality($0).0 }
  }

  /// Chooses widths within an error budget, measures the result, corrects the budget, and repeats this a few times.
  private func corrected(
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
      // The allowed error divided by the measured error. It differs from 1 because errors do not add up exactly.
      let factor: Double = pow(10, (decibels - target) / 10)
      if (1...1.02).contains(factor) { break }
      budget *= decibels < target ? min(factor, 0.9) : min(max(factor, 1.02), 4)
    }
    return best?.settings ?? widest
  }

  /// Chooses a width for every layer, so that the model has the fewest bytes within an error budget.
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
