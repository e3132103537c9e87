import Arguments
import Files
import Foundation
import ModelClasses

/// `atelier generate`: the Swift class that Xcode writes for a model.
enum GenerateCommand: Command {
  static let syntax = CommandSyntax(
    "generate",
    summary: "Writes the Swift class of a model, as Xcode does.",
    operands: [.init("MODEL", help: "A .mlmodel, .mlpackage or .mlmodelc.")],
    options: [
      .init(
        "output", letter: "o", value: "FILE.swift",
        help: "The file; NAME.swift here unless told otherwise, - prints it."),
      .init(
        "name", value: "NAME",
        help: "The name of the class, that of the model unless told\notherwise."),
      .init(
        "bundle", value: "main|module",
        help: "Where the class looks for its model: with the program (the\n"
          + "default), or in the resources of a package's target."),
      .init("public", help: "Let other modules see the class."),
    ],
    notes: """
      In a package the plug-in ModelClasses does so for every model of a target.

      Example: atelier generate FastStyleTransferVanGoghStarryNight.mlmodel
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let words: [String] = ModelClass.Place.allCases.map(\.rawValue)
    let place = try arguments.choice("bundle", of: words).flatMap { ModelClass.Place(rawValue: $0) }
    let generated = try ModelClass(
      try ModelLocation.resolve(arguments.operands[0]), name: arguments.value("name"),
      place: place ?? .main, isPublic: arguments.has("public"))
    let path: String = arguments.value("output") ?? "\(generated.name).swift"
    guard path != "-" else { return Output.write(generated.source) }
    try WholeFile.write(Data(generated.source.utf8), to: path)
    Output.line(
      "wrote \(path): the classes \(generated.name), \(generated.name)Input and \(generated.name)Output"
    )
  }
}
