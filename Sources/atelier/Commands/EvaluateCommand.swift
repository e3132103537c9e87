import Arguments
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier evaluate`: measures how often a classifier is right.
enum EvaluateCommand: Command {
  static let syntax = CommandSyntax(
    "evaluate", summary: "Measures the accuracy of a classifier on labelled examples.",
    operands: [
      .init("MODEL", help: "A classifier: a file, or a fetched model's name."),
      .init(
        "EXAMPLES",
        help: "A folder with a folder of pictures for each label, or a CSV\n"
          + "table; its header names the inputs and the label."),
    ],
    options: [
      .init(
        "sheet", value: "FILE",
        help: "Writes a contact sheet of the worst mistakes (.jpg, .png, .webp,\n"
          + ".tiff), each picture with its label > the guess."),
      .init(
        "worst", value: "N", help: "How many mistakes to show (default: 20)."),
      CropAndScale.option(
        "How pictures are fitted to the model (default: centerCrop)."),
      .init("json", help: "Prints JSON."),
    ] + ModelOptions.declarations,
    notes: """
      Examples use the model's labels. If a label lists several names between commas, as those of ImageNet
      do, one of the names is enough.

      Example: atelier evaluate squeezenet photos/ --sheet mistakes.png
      """)

  private struct Report: Encodable {
    struct Mistake: Encodable {
      let source: String
      let truth: String
      let guess: String
      let truthProbability: Double?
      let guessProbability: Double?
    }

    let model: String
    let examples: Int
    let top1: Int
    let top5: Int?
    let accuracy: Double
    let top5Accuracy: Double?
    let labels: [String]
    let confusionMatrix: [[Int]]
    let scores: [ClassifierEvaluation.LabelScore]
    let worst: [Mistake]
    let seconds: Double
  }

  static func run(_ arguments: ParsedArguments) throws {
    let worst: Int = try arguments.integer("worst", in: 1...10_000) ?? 20
    let mode: CropAndScale = try arguments.cropAndScale() ?? .centerCrop
    let format: PictureFormat? = try arguments.value("sheet").map { try PictureFormat(path: $0) }
    let options = try ModelOptions(arguments)
    let location: URL = try ModelLocation.resolve(arguments.operands[0])
    let model = try OpenedModel.open(location, options)
    let description: MLModelDescription = model.modelDescription
    guard let label = description.predictedFeatureName, description.classLabels != nil else {
      throw CommandError(
        "Model '\(location.lastPathComponent)' is not a classifier; `atelier inspect` shows its"
          + " inputs and outputs.")
    }
    let examples = try LabelledExamples(
      arguments.operands[1], for: description, cropAndScale: mode)
    let start = Date()
    let answers: [ClassifierEvaluation.Answer] = try examples.examples.map { example in
      let features = try examples.features(of: example)
      return answer(
        try model.predictionFromZero(from: features), example, label: label,
        probabilities: description.predictedProbabilitiesName)
    }
    let seconds: Double = Date().timeIntervalSince(start)
    let evaluation = ClassifierEvaluation(
      answers, order: (description.classLabels ?? []).map { "\($0)" })
    if let format, let path = arguments.value("sheet") {
      try write(evaluation.worst(worst), examples, to: path, format)
    }
    if arguments.has("json") {
      try Output.json(
        report(evaluation, location.lastPathComponent, worst: worst, seconds: seconds))
    } else {
      print(evaluation, seconds: seconds)
    }
  }

  private static func answer(
    _ result: any MLFeatureProvider, _ example: LabelledExamples.Example, label: String,
    probabilities: String?
  ) -> ClassifierEvaluation.Answer {
    let value: MLFeatureValue? = result.featureValue(for: label)
    let guess: String =
      value?.type == .int64 ? "\(value?.int64Value ?? 0)" : value?.stringValue ?? ""
    let table: [AnyHashable: NSNumber] =
      probabilities.flatMap { result.featureValue(for: $0)?.dictionaryValue } ?? [:]
    var numbers: [String: Double] = [:]
    for (key, number) in table { numbers["\(key.base)"] = number.doubleValue }
    return ClassifierEvaluation.Answer(
      source: example.source, truth: example.label, guess: guess, probabilities: numbers)
  }

  private static func write(
    _ answers: [ClassifierEvaluation.Answer], _ examples: LabelledExamples, to path: String,
    _ format: PictureFormat
  ) throws {
    var pictures: [String: String] = [:]
    for example in examples.examples { pictures[example.source] = example.picture }
    let entries: [(picture: Picture, label: String)] = try answers.compactMap { answer in
      guard let file = pictures[answer.source] else { return nil }
      return (try Picture(contentsOfFile: file), "\(answer.truth) > \(answer.guess)")
    }
    guard !entries.isEmpty else {
      Output.note(
        "The model made no mistake with a picture, so no sheet is written.")
      return
    }
    let sheet: Picture = try ContactSheet(entries, side: 240).picture()
    let data: Data = try sheet.encoded(as: format, origin: PictureOrigin(painter: "evaluate"))
    try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
  }

  private static func report(
    _ evaluation: ClassifierEvaluation, _ model: String, worst: Int, seconds: Double
  ) -> Report {
    let count: Int = evaluation.answers.count
    let top5: Int? = evaluation.rightCount(amongTop: 5)
    return Report(
      model: model, examples: count, top1: evaluation.rightCount, top5: top5,
      accuracy: Double(evaluation.rightCount) / Double(count),
      top5Accuracy: top5.map { Double($0) / Double(count) }, labels: evaluation.labels,
      confusionMatrix: evaluation.confusionMatrix, scores: evaluation.scores,
      worst: evaluation.worst(worst).map {
        Report.Mistake(
          source: $0.source, truth: $0.truth, guess: $0.guess,
          truthProbability: $0.truthProbability, guessProbability: $0.guessProbability)
      }, seconds: seconds)
  }

  private static func print(_ evaluation: ClassifierEvaluation, seconds: Double) {
    let count: Int = evaluation.answers.count
    func share(_ right: Int) -> String {
      "\(right.groupedText) of \(count.groupedText)"
        + " (\((100 * Double(right) / Double(count)).text(decimals: 1)) %)"
    }
    Output.line("right              \(share(evaluation.rightCount))")
    if let top5 = evaluation.rightCount(amongTop: 5) {
      Output.line("among the first 5  \(share(top5))")
    }
    Output.line("in                 \(seconds.durationText)")
    if evaluation.labels.count <= 20 { print(matrixOf: evaluation) }
    let mistakes: [ClassifierEvaluation.Confusion] = Array(evaluation.confusions.prefix(10))
    if !mistakes.isEmpty { Output.line("\nmost frequent mistakes") }
    for mistake in mistakes {
      Output.line("  \(mistake.count) × \(mistake.truth) predicted as \(mistake.guess)")
    }
  }

  /// Prints the confusion matrix: a row for each right label, and a column for each guess. Rows and columns are in the
  /// same order.
  private static func print(matrixOf evaluation: ClassifierEvaluation) {
    let labels: [String] = evaluation.labels
    let width: Int = labels.map(\.count).max() ?? 0
    let largest: Int = evaluation.confusionMatrix.joined().max() ?? 0
    let cell: Int = max(3, "\(largest)".count, "\(labels.count)".count) + 1
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    Output.line(
      "\nright label \\ guess\n" + String(repeating: " ", count: width + 6)
        + labels.indices.map { padded("\($0 + 1)", cell) }.joined())
    for (index, counts) in evaluation.confusionMatrix.enumerated() {
      let name: String = labels[index] + String(repeating: " ", count: width - labels[index].count)
      Output.line(
        padded("\(index + 1)", 4) + "  \(name)"
          + counts.map { padded($0 == 0 ? "·" : "\($0)", cell) }.joined())
    }
  }
}
