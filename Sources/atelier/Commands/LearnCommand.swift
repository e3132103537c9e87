import Arguments
import CreateML
import Foundation
import Imaging
import ModelTools

/// `atelier learn`: trains a classifier on the user's photos.
enum LearnCommand: Command {
  static let syntax = CommandSyntax(
    "learn", summary: "Trains a photo classifier on a folder of photos for each label.",
    operands: [.init("FOLDER", help: "A folder with a folder of photos for each label.")],
    options: [
      .init(
        "output", letter: "o", value: "MODEL.mlmodel", isRequired: true,
        help: "The classifier, for `atelier classify` and Apple's tools;\n"
          + "`atelier update` trains it further."),
      .init(
        "validation", value: "FOLDER",
        help: "Photos to validate it with (default: a tenth of the photos, if\n"
          + "there are at least 50)."),
      .init(
        "neighbors", value: "K",
        help: "Classifies by the K nearest neighbours instead of a layer with\nweights."),
      .init("json", help: "Prints the result as JSON."),
    ],
    notes: """
      The features of photos come from SqueezeNet, which `atelier fetch squeezenet` downloads once. The
      written model contains SqueezeNet and the classifier.

      Example: atelier learn pets/ -o Pets.mlmodel
               atelier classify photo.jpg -m Pets.mlmodel
      """, pipedFormat: "mlmodel")

  private struct Report: Encodable {
    struct Part: Encodable {
      let photos: Int
      let error: Double
      let labels: [String]
      let confusionMatrix: [[Int]]
    }

    let model: String
    let training: Part
    let validation: Part?
  }

  static func run(_ arguments: ParsedArguments) throws {
    let output = URL(fileURLWithPath: arguments.value("output") ?? "")
    guard output.pathExtension.lowercased() == "mlmodel" else {
      throw UsageError(
        "--output is '\(output.lastPathComponent)', expected a name that ends with .mlmodel.")
    }
    var parameters = MLImageClassifier.ModelParameters()
    if let count = try arguments.integer("neighbors", in: 1...1000) {
      parameters.algorithm = .transferLearning(classifier: .nearestNeighbors(count: count))
    }
    if let folder = arguments.value("validation") {
      parameters.validation = .dataSource(
        .labeledDirectories(at: URL(fileURLWithPath: folder)))
    }
    let start = Date()
    let classifier = try MLImageClassifier(
      trainingData: .labeledDirectories(at: URL(fileURLWithPath: arguments.operands[0])),
      parameters: parameters)
    try Interruption.protected { try classifier.write(to: output) }
    let validation: MLClassifierMetrics = classifier.validationMetrics
    guard !arguments.has("json") else {
      return try Output.json(
        Report(
          model: output.path, training: part(classifier.trainingMetrics),
          validation: validation.isValid ? part(validation) : nil))
    }
    let labels: Int = classifier.model.modelDescription.classLabels?.count ?? 0
    var words: [String] = [
      "learned \(classifier.trainingMetrics.exampleCount) photos of \(labels) labels"
    ]
    if validation.isValid {
      let right: Double = 100 * (1 - validation.classificationError)
      words.append(
        "\(right.text(decimals: 1)) % of \(validation.exampleCount) other photos are classified"
          + " correctly")
    }
    words.append("in \(Date().timeIntervalSince(start).durationText)")
    Output.report("\(output.path): \(words.joined(separator: ", "))")
  }

  private static func part(_ metrics: MLClassifierMetrics) -> Report.Part {
    Report.Part(
      photos: metrics.exampleCount, error: metrics.classificationError, labels: metrics.labels,
      confusionMatrix: metrics.confusionMatrix)
  }
}
