import Arguments
import CoreGraphics
import CoreML
import Foundation
import Imaging

/// `atelier classify`: what a photo shows.
enum ClassifyCommand: Command {
  static let syntax = CommandSyntax(
    "classify", summary: "Names what a photo shows, likeliest first.",
    operands: [.init("PHOTO", help: "A picture file.")],
    options: [
      .init(
        "model", letter: "m", value: "MODEL", isRequired: true,
        help: "A classifier: a file, or a fetched model's name."),
      .init("top", value: "N", help: "How many classes; 5 unless told otherwise."),
      CropAndScale.option(
        "How the photo is fitted to the model; centerCrop\nunless told otherwise."),
      .init("json", help: "As JSON."),
    ] + PictureClassifier.declarations + ModelOptions.declarations,
    notes: """
      Example: atelier classify cat.jpg -m VGG_ILSVRC_16_layers.prototxt --mean 103.939,116.779,123.68 \\
                 --labels synset_words.txt
      """)

  private struct Guess: Encodable {
    let label: String
    let probability: Double
  }

  static func run(_ arguments: ParsedArguments) throws {
    let count: Int = try arguments.integer("top", in: 1...100_000) ?? 5
    let mode: CropAndScale = try arguments.cropAndScale() ?? .centerCrop
    let options = try ModelOptions(arguments)
    let location: URL = try ModelLocation.resolve(arguments.value("model") ?? "")
    let picture = try Picture(contentsOfFile: arguments.operands[0])
    let classifier = try PictureClassifier(arguments)
    let model: MLModel
    if let foreign = try OpenedModel.foreign(location, options.reading) {
      model = try MLModel(
        graph: classifier.applied(to: foreign, name: location.lastPathComponent),
        configuration: options.configuration)
    } else {
      try classifier.checkTakesNumbers(location.lastPathComponent)
      model = try OpenedModel.open(location, options)
    }
    let description: MLModelDescription = model.modelDescription
    guard let output = description.predictedProbabilitiesName,
      let input = description.inputDescriptionsByName.values.first(where: { $0.type == .image }),
      let constraint = input.imageConstraint
    else {
      throw CommandError(
        "Model '\(location.lastPathComponent)' does not classify pictures; `atelier inspect` shows"
          + " what it takes and gives.")
    }
    let names: [String: String]? = try classifier.names(
      inPlaceOf: (description.classLabels ?? []).map { "\($0)" }, of: location.lastPathComponent)
    let value = try InputValue.picture(
      picture, width: constraint.pixelsWide, height: constraint.pixelsHigh, constraint: constraint,
      cropAndScale: mode)
    let provider = try MLDictionaryFeatureProvider(dictionary: [input.name: value])
    let result: any MLFeatureProvider = try model.prediction(from: provider)
    let probabilities: [AnyHashable: NSNumber] =
      result.featureValue(for: output)?.dictionaryValue ?? [:]
    let guesses: [Guess] = probabilities.map {
      let label = "\($0.key.base)"
      return Guess(label: names?[label] ?? label, probability: $0.value.doubleValue)
    }
    .sorted { ($1.probability, $0.label) < ($0.probability, $1.label) }
    let best = Array(guesses.prefix(count))
    if arguments.has("json") {
      try Output.json(best)
    } else {
      for guess in best {
        let percent: String = (guess.probability * 100).text(decimals: 2)
        let gap = String(repeating: " ", count: max(0, 6 - percent.count))
        Output.line("\(gap)\(percent) %  \(guess.label)")
      }
    }
  }
}
