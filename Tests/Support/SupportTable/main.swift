// Writes the page Documentation/Support.md:
//
//     SupportTable Python/conformance/exercised.tsv > Documentation/Support.md
//
// The other tables of that folder stand beside the first one.

import Engine
import Foundation
import ModelTools

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: SupportTable EXERCISED-LAYERS\n".utf8))
  exit(2)
}
do {
  let file = URL(fileURLWithPath: CommandLine.arguments[1])
  let page = SupportPage(
    .standard, exercised: try ExercisedLayers(contentsOf: file),
    run: try ConformanceRun(in: file.deletingLastPathComponent()))
  FileHandle.standardOutput.write(Data(page.markdown.utf8))
} catch let error as ModelToolsError {
  FileHandle.standardError.write(Data("error: \(error.message)\n".utf8))
  exit(1)
}
