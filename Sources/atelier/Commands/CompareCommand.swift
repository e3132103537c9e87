import Arguments
import CoreML
import Engine
import Foundation
import Imaging

/// `atelier compare`: where two models part.
enum CompareCommand: Command {
  static let syntax = CommandSyntax(
    "compare", summary: "Says which operation of two models departs first, and by how much.",
    operands: [
      .init(
        "MODEL", .atLeastOne,
        help: "Two models; or one with --precision; or one and a folder of\n"
          + "another program's answers, NAME.npy each.")
    ],
    options: [
      .init(
        "inputs", value: "FOLDER",
        help: "The inputs, a file NAME.npy, .json, .png or .jpg each; noise\nunless told otherwise."
      ),
      .init(
        "precision", value: "PRECISION",
        help: "float32, float16 or bfloat16: computes the second model, or\n"
          + "the only one for a second time, with such numbers."),
      .init(
        "threshold", value: "SHARE",
        help: "What counts as departing: a difference above this share of\n"
          + "the largest number; 0.01 unless told otherwise."),
      .init("all", help: "Lists everything that was compared."),
      .init("json", help: "As JSON."),
    ] + ModelOptions.declarations,
    notes: """
      Operations are compared where both models have a value of the same name and as many numbers; the
      _cast_fp16 that coremltools puts behind names does not count. Nothing is fused, as every value is
      looked at; of the bodies of loops the first 64 iterations are. The status is 1 where an output departs, or a
      value whose difference reaches one; what departs in pixels that are cropped later reaches none.
      """)

  /// Values by their names, in the order of their making.
  private struct Answers {
    let name: String
    var values: [Value] = []
  }

  private struct Value {
    let name: String
    let kind: String
    let numbers: [Float]
    let isOutput: Bool
    /// Within a loop or a branch: the how many-th run made it.
    var turn: Int?
    /// The names of the values that it is computed from.
    var sources: [String] = []

    /// What the same value of another model is found by.
    var key: String { plain(name) + (turn.map { " \($0)" } ?? "") }
    /// The name with the turn.
    var shownName: String { name + (turn.map { " (turn \($0))" } ?? "") }
  }

  private struct Row: Encodable {
    let name: String
    let kind: String
    let isOutput: Bool
    let departs: Bool
    /// Whether the difference goes on, from value to value, into an output. One in pixels that are cropped does not.
    let reachesOutput: Bool
    let difference: ValueDifference
  }

  private struct Report: Encodable {
    let first: String
    let second: String
    let threshold: Double
    let compared: Int
    let departing: Int
    let reachingOutput: Int
    let firstToDepart: Row?
    let firstToReachOutput: Row?
    let firstToOverflow: Row?
    let rows: [Row]
  }

  static func run(_ arguments: ParsedArguments) throws {
    let names: [String] = arguments.operands
    let words: [String] = ["float32", "float16", "bfloat16"]
    let precision: TracedPrecision? = try arguments.choice("precision", of: words)
      .flatMap(TracedPrecision.init)
    guard names.count == 2 || (names.count == 1 && precision != nil) else {
      throw UsageError(
        names.count > 2
          ? "\(names.count) models are given, expected two."
          : "one model is given; name a second one, a folder of answers, or a --precision.")
    }
    let threshold: Double = try Self.threshold(arguments)
    let options = try ModelOptions(arguments)
    let folder: URL? = arguments.value("inputs").map { URL(fileURLWithPath: $0) }
    let first: Answers = try answers(of: names[0], .written, options, folder)
    let second: Answers
    if names.count == 2, let files = answerFiles(names[1]) {
      second = try read(files, shownAs: names[1])
    } else {
      second = try answers(
        of: names[names.count - 1], precision ?? .written, options, folder)
    }
    let report: Report = try compare(first, second, threshold)
    arguments.has("json")
      ? try Output.json(report) : print(report, all: arguments.has("all"))
    guard report.reachingOutput == 0 else {
      let hidden: Int = report.departing - report.reachingOutput
      throw CommandError(
        "\(report.departing) of \(report.compared) values depart by more than"
          + " \((threshold * 100).shortText) % of the largest number"
          + (hidden > 0 ? "; \(hidden) of them reach no output." : "."))
    }
  }

  private static func threshold(_ arguments: ParsedArguments) throws -> Double {
    guard let text = arguments.value("threshold") else { return 0.01 }
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw UsageError("--threshold is '\(text)', expected a number of 0 or more.")
    }
    return number
  }

  // MARK: - Answers

  private static func answers(
    of name: String, _ precision: TracedPrecision, _ options: ModelOptions, _ folder: URL?
  ) throws -> Answers {
    let location: URL = try ModelLocation.resolve(name)
    let model = try OpenedModel.open(location, options)
    let inputs: MLDictionaryFeatureProvider =
      if let folder {
        try ModelInputs.files(in: folder, for: model.modelDescription, .scaleFill)
      } else {
        try ModelInputs.noise(for: model.modelDescription, size: nil).0
      }
    let shown: String =
      precision == .written
      ? location.lastPathComponent : "\(location.lastPathComponent) in \(precision.rawValue)"
    guard let traced = try model.trace(inputs, precision: precision) else {
      guard precision == .written else {
        throw CommandError(
          "Model '\(location.lastPathComponent)' is no single network, so that it has no other"
            + " precision; leave --precision out.")
      }
      return Answers(name: shown, values: try outputs(of: model, inputs))
    }
    return Answers(
      name: shown,
      values: traced.map {
        Value(
          name: $0.name, kind: $0.kind, numbers: $0.values, isOutput: $0.isOutput, turn: $0.turn,
          sources: $0.sources)
      })
  }

  /// What a model gives that is no network: its outputs that are numbers.
  private static func outputs(
    of model: MLModel, _ inputs: MLDictionaryFeatureProvider
  ) throws -> [Value] {
    let prediction: any MLFeatureProvider = try model.prediction(from: inputs)
    return prediction.featureNames.sorted().compactMap { name in
      guard let value = prediction.featureValue(for: name) else { return nil }
      let numbers: [Double]
      switch value.type {
      case .multiArray: numbers = value.multiArrayValue.map { NumberBlock($0).values } ?? []
      case .double: numbers = [value.doubleValue]
      case .int64: numbers = [Double(value.int64Value)]
      case .dictionary:
        numbers = value.dictionaryValue.sorted { "\($0.key)" < "\($1.key)" }
          .map(\.value.doubleValue)
      default: return nil
      }
      return Value(
        name: name, kind: "output", numbers: numbers.map { Float($0) }, isOutput: true)
    }
  }

  /// The `.npy` files of a folder that is no model; nil for anything else.
  private static func answerFiles(_ path: String) -> [URL]? {
    let folder = URL(fileURLWithPath: path)
    guard
      let files = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
    else { return nil }
    let answers: [URL] = files.filter { $0.pathExtension == "npy" }
    return answers.isEmpty ? nil : answers.sorted { $0.path < $1.path }
  }

  private static func read(_ files: [URL], shownAs name: String) throws -> Answers {
    Answers(
      name: name,
      values: try files.map { file in
        guard let data = try InputFile.contents(file.path) else {
          throw CommandError("File '\(file.path)' cannot be read. Check the path.")
        }
        let block: NumberBlock = try NumPyFile.read(data, name: file.path)
        return Value(
          name: file.deletingPathExtension().lastPathComponent, kind: "answer",
          numbers: block.values.map { Float($0) }, isOutput: false)
      })
  }

  // MARK: - Comparing

  /// A name without what coremltools puts behind those of values that it computes in float16, and as a file may
  /// be called.
  private static func plain(_ name: String) -> String {
    var plain: String = name
    for ending in ["_cast_fp16", "_cast_fp32", "_to_fp16"] where plain.hasSuffix(ending) {
      plain.removeLast(ending.count)
    }
    return plain.replacingOccurrences(of: "/", with: "_")
  }

  private static func compare(
    _ first: Answers, _ second: Answers, _ threshold: Double
  ) throws -> Report {
    var others: [String: [Float]] = [:]
    for value in second.values { others[value.key] = value.numbers }
    let differences: [ValueDifference?] = first.values.map { value in
      guard let other = others[value.key], other.count == value.numbers.count else { return nil }
      return ValueDifference(value.numbers, other)
    }
    let departs: [Bool?] = differences.map { $0?.departs(by: threshold) }
    let reaches: [Bool] = reachingOutput(first.values, departs)
    let rows: [Row] = first.values.indices.compactMap { index in
      let value: Value = first.values[index]
      guard let difference = differences[index], let departs = departs[index] else { return nil }
      return Row(
        name: value.shownName, kind: value.kind, isOutput: value.isOutput, departs: departs,
        reachesOutput: departs && reaches[index], difference: difference)
    }
    guard !rows.isEmpty else {
      throw CommandError(
        "\(first.name) and \(second.name) have no value of the same name and as many numbers, so that"
          + " nothing can be compared; give models that come from one source.")
    }
    return Report(
      first: first.name, second: second.name, threshold: threshold, compared: rows.count,
      departing: rows.count { $0.departs }, reachingOutput: rows.count { $0.reachesOutput },
      firstToDepart: rows.first { $0.departs },
      firstToReachOutput: rows.first { $0.reachesOutput },
      firstToOverflow: rows.first { $0.difference.overflows }, rows: rows)
  }

  /// Of every value, whether a difference in it goes on into an output: whether it is an output that departs, or is read
  /// by a departing value that reaches one. What could not be compared may differ, so it hands on what it reads.
  private static func reachingOutput(_ values: [Value], _ departs: [Bool?]) -> [Bool] {
    var reached: Set<String> = []
    var reaches = [Bool](repeating: false, count: values.count)
    // Values come after what they are computed from.
    for index in values.indices.reversed() {
      let value: Value = values[index]
      guard departs[index] != false, value.isOutput || reached.contains(value.name) else {
        continue
      }
      reaches[index] = true
      reached.formUnion(value.sources)
    }
    return reaches
  }

  private static func print(_ report: Report, all: Bool) {
    func line(_ row: Row) -> String {
      "\(row.kind) '\(row.name)': \(row.difference.words(report.first, report.second))"
    }
    Output.line("\(report.first) beside \(report.second)")
    if all {
      for row in report.rows { Output.line("  \(row.departs ? "✗" : " ") \(line(row))") }
    }
    if let row = report.firstToDepart {
      Output.line("departs first  \(line(row))")
      if !row.reachesOutput {
        Output.line("               this difference reaches no output")
        if let reaching = report.firstToReachOutput {
          Output.line("reaches output \(line(reaching))")
        }
      }
    } else {
      Output.line(
        "nothing departs by more than \((report.threshold * 100).text(decimals: 2)) %")
    }
    if let row = report.firstToOverflow {
      Output.line("overflows      \(line(row))")
      Output.line(
        "               float16 ends at 65,504; scale what comes before, or keep this operation in"
          + " float32")
    } else {
      Output.line("overflows      nothing")
    }
    for row in report.rows where row.isOutput { Output.line("output         \(line(row))") }
    let hidden: Int = report.departing - report.reachingOutput
    Output.line(
      "compared       \(report.compared) values, of which \(report.departing) depart"
        + (hidden > 0 ? "; \(hidden) of them reach no output" : ""))
  }
}
