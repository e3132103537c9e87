// Runs VGG-16, built in Swift, on a photo:
//
//     atelier fetch vgg16
//     VGGNet PHOTO [--whole]
//
// Only the weights of the convolutions can be fetched. --whole adds the fully connected layers with untrained weights,
// to measure the time and memory of the complete network.

import CoreGraphics
import CoreML
import Engine
import Foundation
import Imaging
import ModelFormat
import ModelTools

let arguments: [String] = CommandLine.arguments
guard arguments.count == 2 || (arguments.count == 3 && arguments[2] == "--whole") else {
  print("usage: VGGNet PHOTO [--whole]")
  exit(2)
}

func milliseconds<Value>(_ body: () throws -> Value) rethrows -> (Value, Double) {
  let start = DispatchTime.now().uptimeNanoseconds
  let value = try body()
  return (value, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
}

do {
  let photo = try Picture(contentsOfFile: arguments[1])
  let ((network, model), loading) = try milliseconds {
    let network = try VGGNet(Weights.layers(isWhole: arguments.count == 3))
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return (network, try MLModel(graph: network.model, configuration: configuration))
  }
  // Stretches the photo to a square, as the tutorial's app does with camera frames.
  let input = try MLDictionaryFeatureProvider(dictionary: [
    "image": MLFeatureValue(
      pixelBuffer: try photo.withoutAlpha.pixelBuffer(
        format: kCVPixelFormatType_32BGRA, fittedToWidth: 224, height: 224, mode: .scaleFill))
  ])
  let (_, first) = try milliseconds { try model.prediction(from: input) }
  let times: [Double] = try (0..<9).map { _ in
    try milliseconds { _ = try model.prediction(from: input) }.1
  }
  let output = try model.prediction(from: input)
  guard let name = output.featureNames.first,
    let array = output.featureValue(for: name)?.multiArrayValue
  else { throw CocoaError(.featureUnsupported) }
  let mean: Double = (0..<array.count).reduce(0) { $0 + array[$1].doubleValue }
  print(
    "\(network.parameterCount) parameters; \(name):"
      + " \(array.shape.map { "\($0)" }.joined(separator: " × ")), mean"
      + String(format: " %.6f", mean / Double(array.count)))
  print(
    String(
      format: "built in %.1f ms, first picture %.1f ms, then %.1f ms", loading, first,
      times.sorted()[4]))
} catch {
  print(error.localizedDescription)
  exit(1)
}
