import Arguments
import CreateML
import Foundation
import Imaging
import ModelTools

/// `atelier learn`: a classifier from photos of one's own.
enum LearnCommand: Command {
  static let syntax = CommandSyntax(
    "learn", summary: "Learns to classify photos from a folder of them for each label.",
    operands: [.init("FOLDER", help: "A folder with a folder of photos for each label.")],
    options: [
      .init(
        "output", letter: "o", value: "MODEL.mlmodel", isRequired: true,
        help: "The classifier; `atelier classify` and Apple's tools take it, and\n"
          + "`atelier update` teaches it more."),
      .init(
        "validation", value: "FOLDER",
        help: "Photos to judge it by; a tenth of 50 photos or more unless told\notherwise."),
      .init(
        "neighbors", value: "K",
        help: "Lets the K nearest examples vote, in the place of a layer of\nweights."),
      .init("json", help: "What came of it as JSON."),
    ],
    notes: """
      Photos are seen by SqueezeNet, which `atelier fetch squeezenet` downloads once; its features and the
      classifier become one model.

      Example: atelier learn pets/ -o Pets.mlmodel
               atelier classify photo.jpg -m Pets.mlmodel
      """)

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
      "learnt \(classifier.trainingMetrics.exampleCount) photos of \(labels) labels"
    ]
    if validation.isValid {
      let right: Double = 100 * (1 - validation.classificationError)
      words.append(
        "\(right.text(decimals: 1)) % of \(validation.exampleCount) other photos are named rightly")
    }
    words.append("in \(Date().timeIntervalSince(start).durationText)")
    Output.line("\(output.path): \(words.joined(separator: ", "))")
  }

  private static func part(_ metrics: MLClassifierMetrics) -> Report.Part {
    Report.Part(
      photos: metrics.exampleCount, error: metrics.classificationError, labels: metrics.labels,
      confusionMatrix: metrics.confusionMatrix)
  }
}
