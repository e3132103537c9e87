import CoreGraphics
import CoreVideo
import Foundation
import TensorFlowLite

/// A painted frame, and how long the network took.
struct Result {
  let inferenceTime: Double
  let resultImage: CGImage
}

/// Paints camera frames in the style of a painting, as TensorFlow Lite's example does. It copies the pixels of a frame,
/// without alpha, to the input of the style network, and converts the network's output to a picture.
final class StyleTransferModelDataHandler {
  let threadCount: Int
  let batchSize = 1
  let inputChannels = 3
  let styleImageSize = 256
  let contentImageSize = 384

  private let predictInterpreter: Interpreter
  private let transferInterpreter: Interpreter

  /// Opens the two models. If this fails, prints the reason and returns nil.
  init?(predictModel: FileInfo, transferModel: FileInfo, threadCount: Int = 1) {
    self.threadCount = threadCount
    var options = InterpreterOptions()
    options.threadCount = threadCount
    options.isErrorLoggingEnabled = true
    do {
      predictInterpreter = try Interpreter(modelPath: path(predictModel), options: options)
      transferInterpreter = try Interpreter(modelPath: path(transferModel), options: options)
    } catch let error {
      print("Failed to create the interpreter with error: \(error.localizedDescription)")
      return nil
    }
  }

  /// Computes the style vector of a painting, which has 100 numbers. If this fails, prints the reason and returns nil.
  func styleBottleneck(of painting: CVPixelBuffer) -> Data? {
    do {
      try predictInterpreter.allocateTensors()
      let inputTensor = try predictInterpreter.input(at: 0)
      guard
        let rgbData = rgbDataFromBuffer(
          painting, byteCount: batchSize * styleImageSize * styleImageSize * inputChannels,
          isModelQuantized: inputTensor.dataType == .uInt8)
      else {
        print("Failed to convert the image buffer to RGB data.")
        return nil
      }
      try predictInterpreter.copy(rgbData, toInputAt: 0)
      try predictInterpreter.invoke()
      return try predictInterpreter.output(at: 0).data
    } catch let error {
      print("Failed to invoke the interpreter with error: \(error.localizedDescription)")
      return nil
    }
  }

  /// Paints a frame of 384 × 384 pixels.
  func runModel(onFrame pixelBuffer: CVPixelBuffer, style: Data) -> Result? {
    let start = Date()
    let outputTensor: Tensor
    do {
      try transferInterpreter.allocateTensors()
      let inputTensor = try transferInterpreter.input(at: 0)
      guard
        let rgbData = rgbDataFromBuffer(
          pixelBuffer, byteCount: batchSize * contentImageSize * contentImageSize * inputChannels,
          isModelQuantized: inputTensor.dataType == .uInt8)
      else {
        print("Failed to convert the image buffer to RGB data.")
        return nil
      }
      try transferInterpreter.copy(rgbData, toInputAt: 0)
      try transferInterpreter.copy(style, toInputAt: 1)
      try transferInterpreter.invoke()
      outputTensor = try transferInterpreter.output(at: 0)
    } catch let error {
      print("Failed to invoke the interpreter with error: \(error.localizedDescription)")
      return nil
    }
    let rgbData = results(of: outputTensor)
    guard
      let image = convertRGBToImage(
        rgbData: rgbData, width: contentImageSize, height: contentImageSize)
    else { return nil }
    return Result(inferenceTime: Date().timeIntervalSince(start) * 1000, resultImage: image)
  }

  /// Converts the elements of an output, which are quantised or floating-point numbers, to samples of 0…255.
  private func results(of outputTensor: Tensor) -> [UInt8] {
    let values: [Float]
    if let quantization = outputTensor.quantizationParameters {
      let quantizedResults = [UInt8](outputTensor.data)
      values = quantizedResults.map {
        quantization.scale * Float(Int($0) - quantization.zeroPoint)
      }
    } else {
      values = [Float](unsafeData: outputTensor.data) ?? []
    }
    return values.map { UInt8(max(0, min(255, ($0 * 255).rounded()))) }
  }

  private let alphaComponent = (baseOffset: 4, moduloRemainder: 3)

  /// Copies the red, green and blue samples of a BGRA buffer, as bytes or as floats of 0…1. Returns nil if the buffer
  /// has another number of samples.
  private func rgbDataFromBuffer(
    _ buffer: CVPixelBuffer, byteCount: Int, isModelQuantized: Bool
  ) -> Data? {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    guard let mutableRawPointer = CVPixelBufferGetBaseAddress(buffer) else {
      return nil
    }
    let width = CVPixelBufferGetWidth(buffer)
    let bytesPerRow = CVPixelBufferGetBytesPerRow(buffer)
    guard width * CVPixelBufferGetHeight(buffer) * inputChannels == byteCount else { return nil }
    var rgbBytes = [UInt8](repeating: 0, count: byteCount)
    var index = 0
    for row in 0..<CVPixelBufferGetHeight(buffer) {
      let rowData = Data(
        bytesNoCopy: mutableRawPointer + row * bytesPerRow, count: width * 4, deallocator: .none)
      for component in rowData.enumerated() {
        let offset = component.offset % alphaComponent.baseOffset
        guard offset != alphaComponent.moduloRemainder else { continue }
        // Blue is the first sample of a pixel in the buffer, and the last one in the model.
        rgbBytes[index / 3 * 3 + 2 - offset] = component.element
        index += 1
      }
    }
    if isModelQuantized { return Data(rgbBytes) }
    return Data(copyingBufferOf: rgbBytes.map { Float($0) / 255.0 })
  }

  private func convertRGBToImage(rgbData: [UInt8], width: Int, height: Int) -> CGImage? {
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
      width: width,
      height: height,
      bitsPerComponent: bitsPerComponent,
      bitsPerPixel: bitsPerPixel,
      bytesPerRow: width * MemoryLayout<UInt8>.size * componentsPerPixel,
      space: rgbColorSpace,
      bitmapInfo: bitmapInfo,
      provider: providerRef,
      decode: nil,
      shouldInterpolate: true,
      intent: .defaultIntent)
  }
}

/// Returns the path of a model's file.
private func path(_ file: FileInfo) -> String {
  URL(fileURLWithPath: file.folder).appendingPathComponent(file.name)
    .appendingPathExtension(file.extension).path
}

extension Data {
  /// Copies the bytes of an array's elements.
  init<Element>(copyingBufferOf array: [Element]) {
    self = array.withUnsafeBytes { Data($0) }
  }
}

extension Array where Element == Float {
  /// Copies bytes as numbers. Nil if the number of bytes is not a multiple of a number's size.
  init?(unsafeData: Data) {
    guard unsafeData.count % MemoryLayout<Float>.stride == 0 else { return nil }
    self = unsafeData.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}
