import Arguments
import Files
import Foundation
import ModelClasses

/// `atelier generate`: writes the Swift class that Xcode writes for a model.
enum GenerateCommand: Command {
  static let syntax = CommandSyntax(
    "generate",
    summary: "Writes the Swift class of a model, as Xcode does.",
    operands: [.init("MODEL", help: "A .mlmodel, .mlpackage or .mlmodelc.")],
    options: [
      .init(
        "output", letter: "o", value: "FILE.swift",
        help: "The file (default: NAME.swift in this folder); - prints it."),
      .init(
        "name", value: "NAME",
        help: "The name of the class (default: the model's name)."),
      .init(
        "bundle", value: "main|module", choices: ModelClass.Place.allCases.map(\.rawValue),
        help: "Where the class looks for its model: beside the program\n"
          + "(default), or in the resources of a package's target."),
      .init("public", help: "Makes the class public."),
      .init("json", help: "Prints the file and its classes as JSON."),
    ],
    notes: """
      In a Swift package, the plug-in ModelClasses does this for every model of a target.

      Example: atelier generate FastStyleTransferVanGoghStarryNight.mlmodel
      """, pipedFormat: "swift")

  /// The written file for JSON.
  private struct Report: Encodable {
    let file: String
    let classes: [String]
  }

  static func run(_ arguments: ParsedArguments) throws {
    let words: [String] = ModelClass.Place.allCases.map(\.rawValue)
    let place = try arguments.choice("bundle", of: words).flatMap { ModelClass.Place(rawValue: $0) }
    let generated = try ModelClass(
      try ModelLocation.resolve(arguments.operands[0]), name: arguments.value("name"),
      place: place ?? .main, isPublic: arguments.has("public"))
    let path: String = arguments.value("output") ?? "\(generated.name).swift"
    guard path != "-" else { return Output.write(generated.source) }
    try WholeFile.write(Data(generated.source.utf8), to: path)
    let classes: [String] = ["", "Input", "Output"].map { generated.name + $0 }
    guard !arguments.has("json") else {
      return try Output.json(Report(file: path, classes: classes))
    }
    Output.report("wrote \(path): the classes \(classes[0]), \(classes[1]) and \(classes[2])")
  }
}
