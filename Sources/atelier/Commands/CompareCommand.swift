import Arguments
import CoreML
import Engine
import Foundation
import Imaging

/// `atelier compare`: finds where two models differ.
enum CompareCommand: Command {
  static let syntax = CommandSyntax(
    "compare", summary: "Finds the first operation at which two models differ, and by how much.",
    operands: [
      .init(
        "MODEL", .atLeastOne,
        help: "Two models; or one model and --precision; or one model and a\n"
          + "folder with another program's values, NAME.npy each.")
    ],
    options: [
      .init(
        "inputs", value: "FOLDER",
        help: "The inputs, each a file NAME.npy, .json, .png or .jpg\n(default: noise)."
      ),
      .init(
        "precision", value: "PRECISION", choices: ["float32", "float16", "bfloat16"],
        help: "float32, float16 or bfloat16: computes the second model in\n"
          + "this type, or the only model a second time."),
      .init(
        "threshold", value: "SHARE",
        help: "Which difference counts: one above this share of the largest\n"
          + "value (default: 0.01)."),
      .init("all", help: "Lists all values that were compared."),
      .init("json", help: "Prints JSON."),
    ] + ModelOptions.declarations,
    notes: """
      Values are compared if both models have one of this name and size. The suffix _cast_fp16 that
      coremltools adds to names is ignored. No operations are fused, because every value is needed. Of a
      loop, the first 64 iterations are compared. The exit status is 1 if an output differs, or a value
      whose difference reaches an output. A difference in pixels that are cropped later reaches none.
      """)

  /// The values of a model. The values of a network are in the order in which it computes them. All others are sorted
  /// by name.
  private struct Answers {
    let name: String
    var values: [Value] = []
  }

  private struct Value {
    let name: String
    let kind: String
    let numbers: [Float]
    /// Whether the value is an output of the model.
    let isOutput: Bool
    /// For a value in the body of a loop or in a branch: which run of the body or branch computed the value. The first
    /// run is 1. Nil for values outside of loops and branches.
    var iteration: Int?
    /// The names of the values that the model computes this value from.
    var sources: [String] = []

    /// The key by which a value of one model is matched with a value of the other model.
    var key: String { plain(name) + (iteration.map { " \($0)" } ?? "") }
    /// The name with the iteration, for messages.
    var shownName: String { name + (iteration.map { " (iteration \($0))" } ?? "") }
  }

  private struct Row: Encodable {
    let name: String
    let kind: String
    /// Whether the value is an output of the model.
    let isOutput: Bool
    /// Whether the two models' values differ by more than the threshold.
    let departs: Bool
    /// Whether the difference propagates to an output of the model. For example, it does not if the model crops the
    /// pixels that differ.
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
          : "one model is given; name a second one, a folder of values, or a --precision.")
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
        "\(report.departing) of \(report.compared) values differ by more than"
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
          "Model '\(location.lastPathComponent)' is not a single network, so it has no other"
            + " precision. Leave out --precision.")
      }
      return Answers(name: shown, values: try outputs(of: model, inputs))
    }
    return Answers(
      name: shown,
      values: traced.map {
        Value(
          name: $0.name, kind: $0.kind, numbers: $0.values, isOutput: $0.isOutput,
          iteration: $0.iteration,
          sources: $0.sources)
      })
  }

  /// Predicts, and returns the numeric outputs. Used for a model that is not a neural network, because such a model has
  /// no intermediate values to compare.
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

  /// Returns the `.npy` files in a folder, sorted by path. Returns nil if the path is not a folder, or if the folder
  /// contains no such file.
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

  /// Removes the suffix that coremltools adds to the name of a value that it casts to float16 or float32. Also replaces
  /// slashes, because file names cannot contain them.
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
        "\(first.name) and \(second.name) have no value of the same name and size, so nothing can"
          + " be compared. Give models that come from one source.")
    }
    return Report(
      first: first.name, second: second.name, threshold: threshold, compared: rows.count,
      departing: rows.count { $0.departs }, reachingOutput: rows.count { $0.reachesOutput },
      firstToDepart: rows.first { $0.departs },
      firstToReachOutput: rows.first { $0.reachesOutput },
      firstToOverflow: rows.first { $0.difference.overflows }, rows: rows)
  }

  /// Returns for each value whether it has a difference that reaches an output of the model. The difference of an
  /// output does. The difference of another value does if a value that is computed from it has such a difference, too.
  /// Values that could not be compared count as differing.
  private static func reachingOutput(_ values: [Value], _ departs: [Bool?]) -> [Bool] {
    var reached: Set<String> = []
    var reaches = [Bool](repeating: false, count: values.count)
    // Each value comes after the values from which it is computed.
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
    Output.line("\(report.first) compared with \(report.second)")
    if all {
      for row in report.rows { Output.line("  \(row.departs ? "✗" : " ") \(line(row))") }
    }
    if let row = report.firstToDepart {
      Output.line("differs first  \(line(row))")
      if !row.reachesOutput {
        Output.line("               this difference reaches no output")
        if let reaching = report.firstToReachOutput {
          Output.line("reaches output \(line(reaching))")
        }
      }
    } else {
      Output.line(
        "nothing differs by more than \((report.threshold * 100).text(decimals: 2)) %")
    }
    if let row = report.firstToOverflow {
      Output.line("overflows      \(line(row))")
      Output.line(
        "               float16 ends at 65,504; scale the operation before, or compute this one in"
          + " float32")
    } else {
      Output.line("overflows      nothing")
    }
    for row in report.rows where row.isOutput { Output.line("output         \(line(row))") }
    let hidden: Int = report.departing - report.reachingOutput
    Output.line(
      "compared       \(report.compared) values, \(report.departing) differ"
        + (hidden > 0 ? "; \(hidden) of them reach no output" : ""))
  }
}
