import Arguments
import CoreGraphics
import CoreML
import Foundation
import Imaging

/// `atelier classify`: names what a photo shows.
enum ClassifyCommand: Command {
  static let syntax = CommandSyntax(
    "classify", summary: "Names what a photo shows, most probable first.",
    operands: [.init("PHOTO", .atLeastOne, help: "Picture files, and folders of them.")],
    options: [
      .init(
        "model", letter: "m", value: "MODEL", isRequired: true,
        help: "A classifier: a file, or a fetched model's name."),
      .init("top", value: "N", help: "How many classes (default: 5)."),
      CropAndScale.option(
        "How the photo is fitted to the model (default: centerCrop)."),
      .init("recursive", letter: "r", help: "Also classifies photos in subfolders."),
      .init(
        "json",
        help: "Prints JSON: an array of classes for one picture file, else an\n"
          + "array of photos with their classes."),
    ] + PictureClassifier.declarations + ModelOptions.declarations,
    notes: """
      Example: atelier classify cat.jpg -m VGG_ILSVRC_16_layers.prototxt --mean 103.939,116.779,123.68 \\
                 --labels synset_words.txt
      """)

  private struct Guess: Encodable {
    let label: String
    let probability: Double
  }

  /// The classes of one of several photos.
  private struct Answer: Encodable {
    let photo: String
    let classes: [Guess]
  }

  static func run(_ arguments: ParsedArguments) throws {
    let count: Int = try arguments.integer("top", in: 1...100_000) ?? 5
    let mode: CropAndScale = try arguments.cropAndScale() ?? .centerCrop
    let options = try ModelOptions(arguments)
    let location: URL = try ModelLocation.resolve(arguments.value("model") ?? "")
    let search = try PhotoSearch(arguments.operands, isRecursive: arguments.has("recursive"))
    if let note = search.note { Output.note(note) }
    // A photo that cannot be read is reported before the model is opened, which may take long.
    if search.photos.count == 1, !search.hasFolder, let only = search.photos.first?.path,
      !only.hasPrefix("/dev/")
    {
      _ = try Picture.probe(only)
    }
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
          + " its inputs and outputs.")
    }
    let names: [String: String]? = try classifier.names(
      inPlaceOf: (description.classLabels ?? []).map { "\($0)" }, of: location.lastPathComponent)
    /// Returns the most probable classes of a photo.
    func guesses(_ photo: String) throws -> [Guess] {
      let value = try InputValue.picture(
        Picture(contentsOfFile: photo), width: constraint.pixelsWide,
        height: constraint.pixelsHigh, constraint: constraint, cropAndScale: mode)
      let provider = try MLDictionaryFeatureProvider(dictionary: [input.name: value])
      let result: any MLFeatureProvider = try model.prediction(from: provider)
      let probabilities: [AnyHashable: NSNumber] =
        result.featureValue(for: output)?.dictionaryValue ?? [:]
      let all: [Guess] = probabilities.map {
        let label = "\($0.key.base)"
        return Guess(label: names?[label] ?? label, probability: $0.value.doubleValue)
      }
      return Array(
        all.sorted { ($1.probability, $0.label) < ($0.probability, $1.label) }.prefix(count))
    }
    if search.photos.count == 1, !search.hasFolder {
      let best: [Guess] = try guesses(search.photos[0].path)
      return arguments.has("json") ? try Output.json(best) : print(best)
    }
    var answers: [Answer] = []
    var failures: Int = 0
    for photo in search.photos.map(\.path) {
      do {
        let best: [Guess] = try guesses(photo)
        answers.append(Answer(photo: photo, classes: best))
        guard !arguments.has("json") else { continue }
        Output.line(photo)
        print(best)
      } catch {
        failures += 1
        Output.errorLine("atelier classify: \(sentence(of: error))")
      }
    }
    if arguments.has("json") { try Output.json(answers) }
    if failures > 0 {
      throw CommandError("\(failures) of \(search.photos.count) photos could not be classified.")
    }
  }

  private static func print(_ guesses: [Guess]) {
    for guess in guesses {
      let percent: String = (guess.probability * 100).text(decimals: 2)
      let gap = String(repeating: " ", count: max(0, 6 - percent.count))
      Output.line("\(gap)\(percent) %  \(guess.label)")
    }
  }
}
