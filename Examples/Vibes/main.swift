// Learns emojis from drawings, and recognises them, as the tutorial's app does.
//
//     Vibes MODEL teach EMOJI DRAWING…
//     Vibes MODEL read DRAWING…
//
// MODEL is Apple's UpdatableDrawingClassifier. Drawings are pictures, white on black.

import CoreML
import Foundation

let arguments: [String] = CommandLine.arguments
let isUpdate: Bool = arguments.count >= 5 && arguments[2] == "teach"
guard isUpdate || (arguments.count >= 4 && arguments[2] == "read") else {
  print("usage: Vibes MODEL teach EMOJI DRAWING…\n       Vibes MODEL read DRAWING…")
  exit(2)
}
do {
  let model = try PersonalModel(bundled: URL(fileURLWithPath: arguments[1]))
  let files: ArraySlice<String> = arguments[(isUpdate ? 4 : 3)...]
  let drawings: [MLFeatureValue] = try files.map {
    try model.drawing(URL(fileURLWithPath: $0))
  }
  if isUpdate {
    try model.teach(arguments[3], drawings)
  } else {
    for drawing in drawings { print(try model.meaning(of: drawing) ?? "unknown") }
  }
} catch {
  print(error.localizedDescription)
  exit(1)
}
