import Foundation
import ModelClasses
import ModelFormat

// Writes the class of a model and compiles the model. The build plug-in runs this for each model of a target.
//
//   atelier-model-class MODEL CLASS.swift FOLDER

let words: [String] = Array(CommandLine.arguments.dropFirst())
guard words.count == 3 else {
  FileHandle.standardError.write(
    Data("usage: atelier-model-class MODEL CLASS.swift FOLDER\n".utf8))
  exit(2)
}
do {
  let model = URL(fileURLWithPath: words[0])
  let source: String = try ModelClass(model, place: .module, isPublic: true).source
  try Data(source.utf8).write(to: URL(fileURLWithPath: words[1]), options: .atomic)
  _ = try ModelFile.compile(from: model, into: URL(fileURLWithPath: words[2], isDirectory: true))
} catch {
  FileHandle.standardError.write(Data("\(words[0]): error: \(error)\n".utf8))
  exit(1)
}
