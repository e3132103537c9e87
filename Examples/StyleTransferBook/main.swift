// Paints a photo as the app in "Machine Learning with Core ML" does:
//
//     StyleTransferBook MODEL PHOTO OUT.png

import BookLayers
import CoreImage
import Foundation

let arguments: [String] = CommandLine.arguments
guard arguments.count == 4 else {
  print("usage: StyleTransferBook MODEL PHOTO OUT.png")
  exit(2)
}

// The model finds custom layers by the names of their classes. Mentioning the classes ensures that their module is
// linked.
_ = ResCropBlockLambda.self
_ = RescaleOutputLambda.self

guard let photo = CIImage(contentsOf: URL(fileURLWithPath: arguments[2])) else {
  print("The photo \(arguments[2]) cannot be read.")
  exit(1)
}
do {
  let processor = try ImageProcessor(modelURL: URL(fileURLWithPath: arguments[1]))
  let writer = PaintingWriter(output: URL(fileURLWithPath: arguments[3]))
  processor.delegate = writer
  processor.processImage(ciImage: photo)
  if let reason = writer.wait() {
    print(reason)
    exit(1)
  }
} catch {
  print(error.localizedDescription)
  exit(1)
}
