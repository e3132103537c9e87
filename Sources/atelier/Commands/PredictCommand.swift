import Arguments
import CoreGraphics
import CoreML
import Files
import Foundation
import Imaging

/// `atelier predict`: runs any model on given inputs.
enum PredictCommand: Command {
  static let syntax = CommandSyntax(
    "predict", summary: "Runs a model and prints its outputs as JSON, or writes them to files.",
    operands: [.init("MODEL", help: "A model file, or a fetched model's name.")],
    options: [
      .init(
        "input", letter: "i", value: "NAME=VALUE", repeats: true,
        help: "An input. VALUE is a picture file, a number, a text, an array\n"
          + "(JSON, 1,2,3, or a .json or .npy file) or a dictionary (JSON).\n"
          + "For an input that chooses a style, also its number or name."),
      .init(
        "output", letter: "o", value: "FOLDER",
        help: "Writes pictures as NAME.png and arrays as NAME.npy to a\n"
          + "folder, and prints the file names in the JSON. Without it,\n"
          + "pictures are not saved."),
      .init(
        "also", value: "LAYER|all", repeats: true,
        help: "Also writes a layer's output as layers/LAYER.npy, and a sheet\n"
          + "of its channels as layers/LAYER.png. Needs -o.\n"
          + "`atelier inspect --stage graph` lists the layers."),
      .init(
        "excite", value: "LAYER:CHANNEL", repeats: true,
        help: "Instead of predicting, makes a picture that excites a channel of\n"
          + "a layer, as excite/LAYER-CHANNEL.png. Needs -o."),
      .init(
        "excite-steps", value: "N",
        help: "The number of gradient steps for it (default: 256)."),
      .init("excite-size", value: "N", help: "Its side in pixels (default: the model's)."),
      CropAndScale.option(
        "How pictures are fitted to the model (default: scaleFill, which\n"
          + "changes their proportions)."
      ),
      .init(
        "time-limit", value: "SECONDS",
        help: "Stops after so many seconds with exit status 1. A model with\n"
          + "loops may run forever."),
    ] + ModelOptions.declarations,
    notes: """
      Examples: atelier predict vgg16 -i image=photo.jpg --also relu1_2 -o seen/
                atelier predict vgg16 --excite relu4_2:16 -o seen/
      """)

  /// An output as JSON.
  private enum Result: Encodable {
    case integer(Int64)
    case number(Double)
    case text(String)
    case numbers([String: Double])
    case array(NumberBlock)
    case picture(width: Int, height: Int, file: String?)
    case arrayFile(file: String, shape: [Int], picture: String?)

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      switch self {
      case .integer(let value): try single.encode(value)
      case .number(let value): try single.encode(value)
      case .text(let value): try single.encode(value)
      case .numbers(let value): try single.encode(value)
      case .picture(let width, let height, let file):
        try single.encode(PictureWords(width: width, height: height, file: file))
      case .arrayFile(let file, let shape, let picture):
        try single.encode(ArrayWords(file: file, shape: shape, picture: picture))
      case .array(let block):
        try single.encode(Block(shape: block.shape, values: block.values))
      }
    }

    private struct PictureWords: Encodable {
      let width: Int
      let height: Int
      let file: String?
    }

    private struct ArrayWords: Encodable {
      let file: String
      let shape: [Int]
      let picture: String?
    }

    private struct Block: Encodable {
      let shape: [Int]
      let values: [Double]
    }
  }

  static func run(_ arguments: ParsedArguments) throws {
    let inputs = try InputValue.split(arguments.values("input"))
    let mode: CropAndScale? = try arguments.cropAndScale()
    let options = try ModelOptions(arguments)
    let folder: URL? = arguments.value("output").map { URL(fileURLWithPath: $0) }
    let location: URL = try ModelLocation.resolve(arguments.operands[0])
    let layers: [String] = arguments.values("also")
    guard layers.isEmpty || folder != nil else {
      throw UsageError("--also writes files; name a folder for them with --output.")
    }
    if let excitation = try Excitation(arguments, options) {
      guard let folder else {
        throw UsageError("--excite writes pictures; name a folder for them with --output.")
      }
      guard inputs.isEmpty, layers.isEmpty else {
        throw UsageError(
          "--excite makes the input itself; leave out --input and --also, or --excite.")
      }
      return try excitation.run(location, into: folder)
    }
    let model = try OpenedModel.open(location, options)
    let inspection: LayerInspection? =
      try layers.isEmpty
      ? nil : LayerInspection(model, layers: layers.contains("all") ? nil : layers)
    let provider = try features(
      inputs, model.modelDescription.inputDescriptionsByName, mode,
      styles: inputs.isEmpty ? [:] : StyleIndex.all(in: location))
    let limits = MLPredictionOptions()
    limits.timeLimit = try arguments.integer("time-limit", in: 1...1_000_000).map(Double.init)
    let prediction: any MLFeatureProvider =
      try inspection?.prediction(from: provider, options: limits)
      ?? model.predictionFromZero(from: provider, options: limits)
    if let folder {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    var results: [String: Result] = [:]
    let outputs: Set<String> = Set(model.modelDescription.outputDescriptionsByName.keys)
    for name in prediction.featureNames where inspection == nil || outputs.contains(name) {
      guard let value = prediction.featureValue(for: name) else { continue }
      results[name] = try result(value, name: name, folder: folder)
    }
    if let inspection, let folder {
      let files = try LayerFiles(folder.appendingPathComponent("layers"))
      for layer in inspection.layers {
        guard let array = prediction.featureValue(for: layer.name)?.multiArrayValue else {
          continue
        }
        let written = try files.write(array, name: fileName(layer.name))
        results["layer " + layer.name] = .arrayFile(
          file: written.array, shape: written.shape, picture: written.picture)
      }
    }
    // If a folder is given, arrays are saved in the folder and little is printed. The JSON then has several lines.
    // Without a folder, the JSON contains the arrays and is printed on one line.
    try Output.json(results, onOneLine: folder == nil)
    warnIfNotSaved(results, folder)
  }

  /// Warns if pictures were computed but not saved.
  private static func warnIfNotSaved(_ results: [String: Result], _ folder: URL?) {
    guard folder == nil else { return }
    let pictures: [String] = results.sorted { $0.key < $1.key }.compactMap { name, result in
      if case .picture = result { "'\(name)'" } else { nil }
    }
    guard !pictures.isEmpty else { return }
    Output.note(
      "The picture\(pictures.count == 1 ? "" : "s") \(pictures.joined(separator: ", "))"
        + " \(pictures.count == 1 ? "is" : "are") not saved; name a folder with --output FOLDER.")
  }

  /// Converts the inputs to the types that the model declares. Throws if a required input is missing.
  ///
  /// - Parameter styles: The inputs that choose a style.
  static func features(
    _ inputs: [(name: String, text: String)], _ descriptions: [String: MLFeatureDescription],
    _ mode: CropAndScale?, styles: [String: StyleIndex] = [:]
  ) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    for (name, text) in inputs {
      guard let input = descriptions[name] else {
        let known: String = descriptions.keys.sorted()
          .map { "'\($0)'" }.joined(separator: ", ")
        throw UsageError(
          "the model has no input '\(name)'; it has \(known.isEmpty ? "no other" : known).")
      }
      guard values[name] == nil else { throw UsageError("the input '\(name)' is given twice.") }
      if let block = try styles[name]?.block(text, option: "--input \(name)") {
        values[name] = MLFeatureValue(
          multiArray: try block.multiArray(type: input.multiArrayConstraint?.dataType ?? .float32))
        continue
      }
      values[name] = try InputValue.make(text, input, cropAndScale: mode ?? .scaleFill)
      if mode == nil { InputValue.warnIfSqueezed(text, input) }
    }
    for input in descriptions.values.sorted(by: { $0.name < $1.name })
    where values[input.name] == nil && !input.isOptional {
      throw UsageError("the input '\(input.name)' is missing: --input \(input.name)=….")
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  private static func result(_ value: MLFeatureValue, name: String, folder: URL?) throws -> Result {
    switch value.type {
    case .int64: return .integer(value.int64Value)
    case .double: return .number(value.doubleValue)
    case .string: return .text(value.stringValue)
    case .dictionary:
      var numbers: [String: Double] = [:]
      for (key, number) in value.dictionaryValue { numbers["\(key.base)"] = number.doubleValue }
      return .numbers(numbers)
    case .image:
      guard let buffer = value.imageBufferValue else { return .text("no picture") }
      let picture = try Picture(buffer)
      var path: String?
      if let folder {
        let file: URL = folder.appendingPathComponent("\(fileName(name)).png")
        let data: Data = try picture.encoded(as: .png)
        try Interruption.protected { try Picture.writeAtomically(data, toFile: file.path) }
        path = file.path
      }
      return .picture(width: picture.width, height: picture.height, file: path)
    case .multiArray:
      guard let array = value.multiArrayValue else { return .text("no array") }
      let block = NumberBlock(array)
      guard let folder else { return .array(block) }
      let file: URL = folder.appendingPathComponent("\(fileName(name)).npy")
      let data: Data = NumPyFile.data(block)
      try Interruption.protected { try WholeFile.write(data, to: file.path) }
      return .arrayFile(file: file.path, shape: block.shape, picture: nil)
    default: return .text("\(value)")
    }
  }

  /// Makes a file name from a name in a model. Replaces all characters that could make a path lead out of the folder.
  static func fileName(_ name: String) -> String {
    let safe: String = name.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? "\($0)" : "_" }
      .joined()
    return safe.hasPrefix(".") || safe.isEmpty ? "_" + safe : safe
  }
}
