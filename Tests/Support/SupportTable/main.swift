// Writes the page Documentation/Support.md or Documentation/Written.md:
//
//     SupportTable Python/conformance/exercised.tsv > Documentation/Support.md
//     SupportTable --written > Documentation/Written.md
//
// The first form also reads the other tables of Python/conformance.

import Engine
import Foundation
import ModelTools

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: SupportTable EXERCISED-LAYERS | --written\n".utf8))
  exit(2)
}
do {
  let page: String
  if CommandLine.arguments[1] == "--written" {
    page = try WrittenPage(.standard).markdown
  } else {
    let file = URL(fileURLWithPath: CommandLine.arguments[1])
    page =
      SupportPage(
        .standard, exercised: try ExercisedLayers(contentsOf: file),
        run: try ConformanceRun(in: file.deletingLastPathComponent()),
        names: try AppleNames(in: file.deletingLastPathComponent())
      ).markdown
  }
  FileHandle.standardOutput.write(Data(page.utf8))
} catch let error as ModelToolsError {
  FileHandle.standardError.write(Data("error: \(error.message)\n".utf8))
  exit(1)
} catch let error as EngineError {
  FileHandle.standardError.write(Data("error: \(error.message)\n".utf8))
  exit(1)
}
