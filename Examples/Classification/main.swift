// Classifies a photo, as the tutorial's app does:
//
//     Classification MODEL PHOTO

import CoreImage
import Foundation
import ImageIO

let arguments: [String] = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: Classification MODEL PHOTO")
  exit(2)
}
let photoURL = URL(fileURLWithPath: arguments[2])
guard let photo = CIImage(contentsOf: photoURL) else {
  print("The photo \(arguments[2]) cannot be read.")
  exit(1)
}
// Reads the orientation from the file and passes it to Vision, as an app does with the camera's orientation.
let source = CGImageSourceCreateWithURL(photoURL as CFURL, nil)
let properties =
  source.flatMap { CGImageSourceCopyPropertiesAtIndex($0, 0, nil) } as? [String: Any]
let number = (properties?[kCGImagePropertyOrientation as String] as? NSNumber)?.uint32Value ?? 1
do {
  let classifier = Classifier(modelURL: URL(fileURLWithPath: arguments[1]))
  let classes = try classifier.classify(
    photo, orientation: CGImagePropertyOrientation(rawValue: number) ?? .up)
  for (confidence, identifier) in classes {
    print(String(format: "%6.2f %%  ", confidence * 100) + identifier)
  }
} catch {
  print(error.localizedDescription)
  exit(1)
}
