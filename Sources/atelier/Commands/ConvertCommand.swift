import Arguments
import Conversion
import CoreML
import Engine
import Files
import Foundation
import ModelTools

/// `atelier convert`: reads a model of any supported format and writes it in another.
enum ConvertCommand: Command {
  static let syntax = CommandSyntax(
    "convert", summary: "Converts a model from one format to another.",
    operands: [.init("INPUT", help: "A model file, or a fetched model's name.")],
    options: [
      .init(
        "output", letter: "o", value: "FILE", isRequired: true,
        help: "The model to write, or -. Its extension decides the format:\n\(endings)."),
      .init("format", value: "FORMAT", help: "With -o -: the format, mlmodel or onnx."),
      .init("json", help: "Prints JSON."),
      .init(
        "verbose", help: "Prints on standard error a line for each layer of the written model."),
      .init(
        "precision", value: "TYPE", choices: ["float16", "float32"],
        help: "The type in which an ML Program computes: float16 (default) or\nfloat32."),
      .init(
        "name", value: "OLD=NEW", repeats: true, help: "Renames an input or output."),
      .init(
        "shape", value: "NAME=N,N,…", repeats: true,
        help: "The shape of an input: numbers, or ranges such as 64..2048 or\n"
          + "64.. without a limit."),
      .init(
        "image-input", value: "NAME[=ORDER]", repeats: true,
        help: "Makes an input a picture: rgb (default), bgr or gray."),
      .init(
        "scale", value: "[NAME=]S[,S,S]", repeats: true,
        help: "The factor for the samples 0…255 of input pictures, one for\n"
          + "all channels or one for each."),
      .init(
        "bias", value: "[NAME=]B[,B,B]", repeats: true, help: "The number to add after that."),
      .init(
        "image-output", value: "NAME[=ORDER]", repeats: true,
        help: "Makes an output a picture, with samples 0…255."),
      .init(
        "output-scale", value: "[NAME=]S[,S,S]", repeats: true,
        help: "The factor for such an output."),
      .init(
        "output-bias", value: "[NAME=]B[,B,B]", repeats: true,
        help: "The number to add after that."),
      .init("labels", value: "FILE", help: "The class labels of a classifier, one per line."),
      .init(
        "class-output", value: "NAME",
        help: "The output with the probabilities of the classes (default: the\nonly output)."),
      .init("author", value: "TEXT", help: "Who made the model."),
      .init("license", value: "TEXT", help: "The terms of use."),
      .init("description", value: "TEXT", help: "What the model does, in a sentence."),
      .init("model-version", value: "TEXT", help: "The version of the model."),
      ModelOptions.function, ModelOptions.companion, ModelOptions.custom, ModelOptions.plugin,
    ],
    notes: """
      Networks of layers (.mlmodel) may have custom layers; ML Programs (.mlpackage) cannot.

      Examples: atelier convert style.mlmodel -o style.mlpackage
                atelier convert net.onnx -o net.mlpackage --image-input data=bgr \\
                  --bias=-104,-117,-123 --labels names.txt
      """)

  private static var endings: String {
    ModelWriters.all.map { ".\($0.pathExtension)" }.joined(separator: ", ")
  }

  static func run(_ arguments: ParsedArguments) throws {
    let source: URL = try ModelLocation.resolve(arguments.operands[0])
    let target = URL(fileURLWithPath: arguments.value("output") ?? "")
    let conversion = try conversion(arguments)
    let writer = try ModelWriters.writer(for: target)
    let written = try Interruption.protected { try conversion.convert(source, to: target) }
    if arguments.has("verbose") {
      for line in ConversionListing(written).lines { Output.note(line) }
    }
    if arguments.has("json") {
      try Output.json([
        "model": source.path, "output": target.path, "format": writer.formatName,
      ])
    } else {
      Output.report("\(source.lastPathComponent) → \(target.path) (\(writer.formatName))")
    }
    if try ModelConversion.losesLearning(source, to: target) {
      Output.note(
        "\(source.lastPathComponent) can be updated on the device, but the written model cannot:"
          + " only .mlmodel files can."
      )
    }
  }

  private static func conversion(_ arguments: ParsedArguments) throws -> ModelConversion {
    var conversion = ModelConversion()
    for path in arguments.values("plugin") { try Plugin.load(path) }
    conversion.reading = try ReadingOptions(arguments)
    // The classes of custom layers, built in or from plug-ins, compute the output shapes of these layers.
    conversion.reading.makeCustomLayer = MLCustomLayerRegistry.passthroughFactory
    for (name, text) in try pairs(arguments, "shape") {
      conversion.reading.extents[name] = try text.split(separator: ",").map {
        try extent(String($0), of: name)
      }
    }
    let precision: String? = try arguments.choice("precision", of: ["float16", "float32"])
    conversion.writing.precision = precision.flatMap { .init(rawValue: $0) } ?? .float16
    for (old, new) in try pairs(arguments, "name") { conversion.names[old] = new }
    conversion.pictureInputs = try pictures(arguments, "image-input", "scale", "bias")
    conversion.pictureOutputs = try pictures(
      arguments, "image-output", "output-scale", "output-bias")
    if let path = arguments.value("labels") { conversion.classLabels = try labels(path) }
    conversion.classOutput = arguments.value("class-output")
    conversion.metadata.author = arguments.value("author") ?? ""
    conversion.metadata.license = arguments.value("license") ?? ""
    conversion.metadata.summary = arguments.value("description") ?? ""
    conversion.metadata.version = arguments.value("model-version") ?? ""
    return conversion
  }

  private static func labels(_ path: String) throws -> [String] {
    guard let data = try InputFile.contents(path), let text = String(data: data, encoding: .utf8)
    else { throw CommandError("The class labels '\(path)' cannot be read as text.") }
    var lines: [String] = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces.union(.newlines))
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard !lines.isEmpty else { throw CommandError("The file '\(path)' holds no class labels.") }
    return lines
  }

  private static func pairs(_ arguments: ParsedArguments, _ option: String) throws -> [(
    String, String
  )] {
    try arguments.values(option).map { text in
      guard let cut = text.firstIndex(of: "="), cut > text.startIndex else {
        throw UsageError("--\(option) is '\(text)', expected NAME=….")
      }
      return (String(text[..<cut]), String(text[text.index(after: cut)...]))
    }
  }

  private static func extent(_ text: String, of name: String) throws -> Extent {
    func number(_ part: Substring) throws -> Int {
      guard let number = Int(part), (0...1 << 40).contains(number) else {
        throw UsageError("the shape of '\(name)' has '\(text)', expected 3, 64..2048 or 64...")
      }
      return number
    }
    guard let dots = text.range(of: "..") else { return Extent(try number(text[...])) }
    let lower: Int = try number(text[..<dots.lowerBound])
    let rest: Substring = text[dots.upperBound...]
    guard !rest.isEmpty else { return Extent(from: lower) }
    let upper: Int = try number(rest)
    guard upper >= lower else {
      throw UsageError("the shape of '\(name)' has '\(text)', which ends before it begins.")
    }
    return Extent(from: lower, to: upper)
  }

  /// Reads from the options which features are pictures, and the scales and biases of these pictures. A scale or bias
  /// without a feature's name applies to all pictures.
  private static func pictures(
    _ arguments: ParsedArguments, _ option: String, _ scale: String, _ bias: String
  ) throws -> [String: ModelConversion.PictureInput] {
    var pictures: [String: ModelConversion.PictureInput] = [:]
    for text in arguments.values(option) {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      let orders: [String: Graph.ImagePort.ColorOrder] = [
        "rgb": .rgb, "bgr": .bgr, "gray": .gray, "grey": .gray,
      ]
      guard let name = parts.first,
        let order = orders[parts.count > 1 ? parts[1].lowercased() : "rgb"]
      else {
        throw UsageError("--\(option) is '\(text)', expected NAME, or NAME=rgb, bgr or gray.")
      }
      pictures[name] = .init(order)
    }
    for (word, path) in [
      (scale, \ModelConversion.PictureInput.scale), (bias, \ModelConversion.PictureInput.bias),
    ] {
      for text in arguments.values(word) {
        let cut = text.lastIndex(of: "=")
        let numbers: [Float] = try text[(cut.map { text.index(after: $0) } ?? text.startIndex)...]
          .split(separator: ",").map { try number(String($0), word) }
        if let cut {
          let name = String(text[..<cut])
          guard pictures[name] != nil else {
            throw UsageError(
              "--\(word) names '\(name)', which is not a picture: add --\(option) \(name).")
          }
          pictures[name]?[keyPath: path] = numbers
        } else {
          guard !pictures.isEmpty else {
            throw UsageError("--\(word) is for pictures: add --\(option) NAME.")
          }
          for name in pictures.keys { pictures[name]?[keyPath: path] = numbers }
        }
      }
    }
    return pictures
  }

  /// Parses a number, or a fraction such as 1/127.5.
  private static func number(_ text: String, _ option: String) throws -> Float {
    let parts: [Float] = text.split(separator: "/").compactMap { Float($0) }
    guard (1...2).contains(parts.count), parts.count == text.split(separator: "/").count,
      parts.count == 1 || parts[1] != 0, parts.allSatisfy(\.isFinite)
    else {
      throw UsageError("--\(option) has '\(text)', expected a number or a fraction such as 1/255.")
    }
    return parts.count == 1 ? parts[0] : parts[0] / parts[1]
  }
}
