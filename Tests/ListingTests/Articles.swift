// The code that readers of three texts write. The texts are the Create ML article, TensorFlow Lite's walk-through and
// “VGGNet on Metal”. Cameras, screens, Metal and interpreters are omitted. The API calls are those of the texts.

import CoreGraphics
import CoreML
import CoreVideo
import Foundation
import Vision

// MARK: The Create ML article: a video network on frames

class StyleBlue {
  nonisolated(unsafe) static var location = URL(fileURLWithPath: "/")
  let model: MLModel

  init(configuration: MLModelConfiguration) throws {
    model = try MLModel(contentsOf: Self.location, configuration: configuration)
  }
}

final class FrameStylist {
  var currentModelConfig = 0
  var frame: CVPixelBuffer?

  func captureOutput(_ pixelBuffer: CVPixelBuffer) {
    let config = MLModelConfiguration()
    switch currentModelConfig {
    case 1:
      config.computeUnits = .cpuOnly
    case 2:
      config.computeUnits = .cpuAndGPU
    default:
      config.computeUnits = .all
    }
    guard let model = try? VNCoreMLModel(for: StyleBlue.init(configuration: config).model) else {
      return
    }
    let request = VNCoreMLRequest(model: model) { finishedRequest, error in
      guard let results = finishedRequest.results as? [VNPixelBufferObservation] else { return }
      guard let observation = results.first else { return }
      self.frame = observation.pixelBuffer
    }
    try? VNImageRequestHandler(cvPixelBuffer: pixelBuffer, options: [:]).perform([request])
  }
}

// MARK: TensorFlow Lite's walk-through: pixels in and out

private let alphaComponent = (baseOffset: 4, moduloRemainder: 3)

func rgbDataFromBuffer(_ buffer: CVPixelBuffer, byteCount: Int, isModelQuantized: Bool) -> Data? {
  CVPixelBufferLockBaseAddress(buffer, .readOnly)
  defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
  guard let mutableRawPointer = CVPixelBufferGetBaseAddress(buffer) else { return nil }
  let count = CVPixelBufferGetDataSize(buffer)
  let bufferData = Data(bytesNoCopy: mutableRawPointer, count: count, deallocator: .none)
  var rgbBytes = [UInt8](repeating: 0, count: byteCount)
  var index = 0
  for component in bufferData.enumerated() {
    let offset = component.offset
    let isAlphaComponent = (offset % alphaComponent.baseOffset) == alphaComponent.moduloRemainder
    guard !isAlphaComponent else { continue }
    rgbBytes[index] = component.element
    index += 1
  }
  if isModelQuantized { return Data(rgbBytes) }
  return rgbBytes.map { Float($0) / 255.0 }.withUnsafeBytes { Data($0) }
}

func convertRGBToImage(rgbData: [UInt8], width: Int, height: Int) -> CGImage? {
  let bitsPerComponent = 8
  let componentsPerPixel = 3
  let bitsPerPixel = bitsPerComponent * componentsPerPixel
  guard width > 0 && height > 0 else { return nil }
  guard rgbData.count == width * height * componentsPerPixel else { return nil }
  let rgbColorSpace = CGColorSpaceCreateDeviceRGB()
  let bitmapInfo = CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue)
  var rgbDataMutable = rgbData
  guard
    let providerRef = CGDataProvider(
      data: NSData(
        bytes: &rgbDataMutable, length: rgbDataMutable.count * MemoryLayout<UInt8>.size))
  else { return nil }
  return CGImage(
    width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel,
    bytesPerRow: width * MemoryLayout<UInt8>.size * componentsPerPixel, space: rgbColorSpace,
    bitmapInfo: bitmapInfo, provider: providerRef, decode: nil, shouldInterpolate: true,
    intent: .defaultIntent)
}

// MARK: VGGNet on Metal: the five most likely labels

typealias Prediction = (label: String, probability: Float)

struct Labels {
  let labels: [String]

  public func top5Labels(prediction: [Float]) -> [Prediction] {
    typealias tuple = (idx: Int, prob: Float)
    return zip(0...1000, prediction)
      .sorted(by: { (a: tuple, b: tuple) -> Bool in a.prob > b.prob })
      .prefix(through: 4)
      .map({ (x: tuple) -> Prediction in (labels[x.idx], x.prob) })
  }
}
