// Paints a photo in the style of a painting as TensorFlow Lite's style transfer example does with the camera's frames:
//
//     StyleTransferLite MODELS PHOTO PAINTING OUT.png
//
// MODELS is a folder with style_predict.tflite and style_transfer.tflite.

import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO

let arguments: [String] = CommandLine.arguments
guard arguments.count == 5 else {
  print("usage: StyleTransferLite MODELS PHOTO PAINTING OUT.png")
  exit(2)
}

/// Makes a frame as a camera would: the centre of a picture, scaled to a square with the side `size`, in BGRA.
func frame(of path: String, size: Int) -> CVPixelBuffer? {
  guard let picture = CIImage(contentsOf: URL(fileURLWithPath: path)) else {
    print("The picture \(path) cannot be read.")
    return nil
  }
  let factor = CGFloat(size) / min(picture.extent.width, picture.extent.height)
  let scaled = picture.transformed(by: CGAffineTransform(scaleX: factor, y: factor))
  let middle = scaled.transformed(
    by: CGAffineTransform(
      translationX: -((scaled.extent.width - CGFloat(size)) / 2).rounded(.down),
      y: -((scaled.extent.height - CGFloat(size)) / 2).rounded(.down)))
  var buffer: CVPixelBuffer?
  CVPixelBufferCreate(nil, size, size, kCVPixelFormatType_32BGRA, nil, &buffer)
  if let buffer { CIContext().render(middle, to: buffer) }
  return buffer
}

guard
  let handler = StyleTransferModelDataHandler(
    predictModel: (arguments[1], "style_predict", "tflite"),
    transferModel: (arguments[1], "style_transfer", "tflite"), threadCount: 2),
  let painting = frame(of: arguments[3], size: handler.styleImageSize),
  let style = handler.styleBottleneck(of: painting),
  let photo = frame(of: arguments[2], size: handler.contentImageSize),
  let result = handler.runModel(onFrame: photo, style: style)
else { exit(1) }

let output = URL(fileURLWithPath: arguments[4])
guard
  let destination = CGImageDestinationCreateWithURL(
    output as CFURL, "public.png" as CFString, 1, nil)
else {
  print("\(output.path) cannot be written.")
  exit(1)
}
CGImageDestinationAddImage(destination, result.resultImage, nil)
guard CGImageDestinationFinalize(destination) else {
  print("\(output.path) cannot be written.")
  exit(1)
}
print("painted in \(Int(result.inferenceTime)) ms")
