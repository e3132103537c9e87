import Arguments
import CoreML
import Engine
import Foundation
import Imaging
import ModelTools
import Platform

/// `atelier bench`: measures how long a prediction takes.
enum BenchCommand: Command {
  static let syntax = CommandSyntax(
    "bench", summary: "Times a model's predictions.",
    operands: [.init("MODEL", help: "A model file, or a fetched model's name.")],
    options: [
      .init(
        "size", value: "N|WxH",
        help:
          "The size of the input picture (default: the size that the\nmodel declares)."),
      .init("runs", value: "N", help: "How many predictions are timed (default: 20)."),
      .init("warm-up", value: "N", help: "How many predictions run before, untimed (default: 4)."),
      .init(
        "at-once", value: "N",
        help: "Adds the predictions per second of N threads at the same time."),
      .init(
        "profile",
        help:
          "Adds the time of each layer, and the times of the kernels\n"
          + "that were tried but not chosen."
      ),
      .init(
        "kernels",
        help:
          "Times every kernel of every convolution instead, and compares\n"
          + "the chosen kernel with the fastest."),
      .init("json", help: "Prints JSON."),
    ] + ModelOptions.declarations,
    notes: """
      A time is that of one call of MLModel.prediction(from:), from pixels to pixels.
      Inputs are noise, the same in every run.
      """)

  private struct Report: Encodable {
    let model: String
    let size: String?
    let computeUnits: String
    let threads: Int
    let runs: Int
    let loadMilliseconds: Double
    let firstMilliseconds: Double
    let medianMilliseconds: Double
    let minimumMilliseconds: Double
    let maximumMilliseconds: Double
    /// The times of all predictions in milliseconds, sorted.
    let milliseconds: [Double]
    /// The processor time of all threads for one prediction, in milliseconds.
    let processorMilliseconds: Double
    /// The memory that the plan needs in addition to the model's file, in bytes. Nil if the model has no picture as
    /// input, or if the size depends on the values of inputs.
    var memoryBytes: Int?
    /// How many predictions one thread makes per second, while no other thread predicts. ``perSecondAtOnce`` is the
    /// number of predictions per second that ``atOnce`` threads make together.
    var perSecond: Double?
    var atOnce: Int?
    var perSecondAtOnce: Double?
    var layers: [LayerProfile.Entry]?
  }

  static func run(_ arguments: ParsedArguments) throws {
    let size: PictureSize? = try arguments.pictureSize("size")
    let runs: Int = try arguments.integer("runs", in: 1...1_000_000) ?? 20
    let warmUp: Int = try arguments.integer("warm-up", in: 0...1000) ?? 4
    let options = try ModelOptions(arguments)
    let configuration: MLModelConfiguration = options.configuration
    configuration.allowsAnyInputSize = size != nil
    let location: URL = try ModelLocation.resolve(arguments.operands[0])

    let (model, loading) = try timed {
      try OpenedModel.open(location, options)
    }
    if arguments.has("kernels") {
      let (network, types) = try self.network(model, size, location, option: "kernels")
      return try KernelTable.show(
        KernelComparison(network, inputTypes: types, runs: runs), of: location.lastPathComponent,
        asJSON: arguments.has("json"))
    }
    let (provider, picture) = try ModelInputs.noise(for: model.modelDescription, size: size)
    let (_, first) = try timed { try predict(model, provider) }
    for _ in 0..<warmUp { try predict(model, provider) }
    let before: Double = processorMilliseconds()
    let times: [Double] = try (0..<runs).map { _ in
      try timed { try predict(model, provider) }.milliseconds
    }
    .sorted()
    let spent: Double = (processorMilliseconds() - before) / Double(runs)
    var report = Report(
      model: location.lastPathComponent, size: picture.map { "\($0.width)x\($0.height)" },
      computeUnits: arguments.value("compute-units") ?? "all",
      threads: configuration.executionOptions().threads,
      runs: runs, loadMilliseconds: loading, firstMilliseconds: first,
      medianMilliseconds: median(times), minimumMilliseconds: times[0],
      maximumMilliseconds: times[times.count - 1], milliseconds: times,
      processorMilliseconds: spent)
    report.memoryBytes = picture.flatMap {
      try? model.memoryNeeded(width: $0.width, height: $0.height)
    }
    if let count = try arguments.integer("at-once", in: 1...64) {
      report.atOnce = count
      try time(model, provider, atOnce: count, into: &report)
    }
    if arguments.has("profile") {
      let (network, types) = try self.network(model, size, location, option: "profile")
      report.layers = try LayerProfile(network, inputTypes: types, runs: runs).calls
    }
    arguments.has("json") ? try Output.json(report) : print(report)
  }

  /// Measures the predictions per second of one thread, and of several threads at once. Alternates between the two
  /// measurements, because the machine's speed may change over time.
  private static func time(
    _ model: MLModel, _ provider: MLDictionaryFeatureProvider, atOnce count: Int,
    into report: inout Report
  ) throws {
    try predictTogether(model, provider, count: count, each: 1)
    var (alone, together): ([Double], [Double]) = ([], [])
    for _ in 0..<5 {
      alone.append(
        try timed { for _ in 0..<report.runs { try predict(model, provider) } }.milliseconds)
      together.append(
        try timed {
          try predictTogether(model, provider, count: count, each: report.runs)
        }.milliseconds)
    }
    let all = Double(report.runs) * 1000
    report.perSecond = all / median(alone.sorted())
    report.perSecondAtOnce = all * Double(count) / median(together.sorted())
  }

  private static func predictTogether(
    _ model: MLModel, _ provider: MLDictionaryFeatureProvider, count: Int, each runs: Int
  ) throws {
    // Safe: predictions only read the features.
    nonisolated(unsafe) let provider = provider
    let failure = Locked<(any Error)?>(nil)
    let group = DispatchGroup()
    for _ in 0..<count {
      group.enter()
      Thread.detachNewThread {
        do {
          for _ in 0..<runs { try predict(model, provider) }
        } catch {
          failure.withLock { $0 = error }
        }
        group.leave()
      }
    }
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private static func network(
    _ model: MLModel, _ size: PictureSize?, _ location: URL, option: String
  ) throws -> (network: Network, types: [TensorType]) {
    guard let known = try model.network(pictures: size) else {
      throw CommandError(
        "Model '\(location.lastPathComponent)' is not a neural network; only networks have layers"
          + " to time. Leave out --\(option).")
    }
    return known
  }

  private static func predict(_ model: MLModel, _ provider: MLDictionaryFeatureProvider) throws {
    _ = try model.predictionFromZero(from: provider)
  }

  private static func timed<Result>(_ body: () throws -> Result) rethrows
    -> (result: Result, milliseconds: Double)
  {
    let start: ContinuousClock.Instant = .now
    let result: Result = try body()
    let time: Duration = .now - start
    return (result, time / .milliseconds(1))
  }

  /// Returns the processor time of all threads of this process so far, in milliseconds.
  private static func processorMilliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// Returns the median of sorted times.
  private static func median(_ times: [Double]) -> Double {
    (times[(times.count - 1) / 2] + times[times.count / 2]) / 2
  }

  private static func print(_ report: Report) {
    let size: String = report.size.map { " at \($0)" } ?? ""
    Output.line(
      "\(report.model)\(size), \(report.computeUnits), \(report.threads) threads:"
        + " median \(report.medianMilliseconds.text(decimals: 2)) ms,"
        + " min \(report.minimumMilliseconds.text(decimals: 2)),"
        + " max \(report.maximumMilliseconds.text(decimals: 2)) of \(report.runs)"
        + " (load \(report.loadMilliseconds.text(decimals: 1)),"
        + " first \(report.firstMilliseconds.text(decimals: 1)))")
    if let count = report.atOnce, let alone = report.perSecond,
      let together = report.perSecondAtOnce
    {
      Output.line(
        "\(count) at once: \(together.text(decimals: 2)) predictions per second, one after another"
          + " \(alone.text(decimals: 2)); ratio \((together / alone).text(decimals: 3))")
    }
    guard let layers = report.layers else { return }
    let total: Double = max(layers.reduce(0) { $0 + $1.milliseconds }, 1e-9)
    for layer in layers {
      let time: String = layer.milliseconds.text(decimals: 3)
      let share: String = (layer.milliseconds / total * 100).text(decimals: 1)
      let gaps = (max(0, 9 - time.count), max(0, 6 - share.count))
      Output.line(
        String(repeating: " ", count: gaps.0) + "\(time) ms"
          + String(repeating: " ", count: gaps.1) + "\(share) %  \(layer.kind) '\(layer.name)'"
          + "  \(layer.kernel)")
      let others: [String] = layer.candidates
        .filter { "\(layer.kernel) (".hasPrefix("\($0.kernel) (") == false }
        .map { "\($0.kernel) \($0.milliseconds.text(decimals: 3)) ms" }
      if !others.isEmpty {
        Output.line(
          String(repeating: " ", count: 23) + "tried: " + others.joined(separator: ", "))
      }
    }
    Output.line("   layers together \(total.text(decimals: 2)) ms")
  }
}
