// The code that a reader of “Machine Learning with Core ML”, chapter 6, writes. The API calls are the book's, and the
// rest is ours. As the page Documentation/Texts/Book.md says, two things are omitted: `@objc(…)`, which Swift supports
// only on Apple's systems, and Metal.

import Accelerate
import CoreImage
import CoreML
import Foundation
import Vision

/// The model's class as Xcode generates it, except for the model's location.
class FastStyleTransferVanGoghStarryNight {
  nonisolated(unsafe) static var location = URL(fileURLWithPath: "/")
  var model: MLModel

  init(contentsOf url: URL) throws { self.model = try MLModel(contentsOf: url) }

  convenience init() {
    try! self.init(contentsOf: type(of: self).location)
  }
}

protocol ImageProcessorDelegate: AnyObject {
  func onImageProcessorCompleted(status: Int, stylizedImage: CGImage?)
}

class ImageProcessor {
  weak var delegate: ImageProcessorDelegate?
  var style: Style = .vanCogh

  enum Style { case vanCogh }

  lazy var vanCoghModel: VNCoreMLModel = {
    do {
      let model = try VNCoreMLModel(for: FastStyleTransferVanGoghStarryNight().model)
      return model
    } catch {
      fatalError("no model")
    }
  }()

  var model: VNCoreMLModel {
    get {
      if self.style == .vanCogh { return self.vanCoghModel }
      return self.vanCoghModel
    }
  }

  func getRequest() -> VNCoreMLRequest {
    let request = VNCoreMLRequest(
      model: self.model,
      completionHandler: { [weak self] request, error in
        self?.processRequest(for: request, error: error)
      })
    request.imageCropAndScaleOption = .centerCrop
    return request
  }

  public func processImage(ciImage: CIImage) {
    DispatchQueue.global(qos: .userInitiated).async {
      let handler = VNImageRequestHandler(ciImage: ciImage)
      do {
        try handler.perform([self.getRequest()])
      } catch {
        print("failed: \(error.localizedDescription)")
      }
    }
  }

  func processRequest(for request: VNRequest, error: Error?) {
    guard let results = request.results else {
      print(#function, String(describing: error?.localizedDescription))
      self.delegate?.onImageProcessorCompleted(status: -1, stylizedImage: nil)
      return
    }
    let observations = results as! [VNPixelBufferObservation]
    guard observations.count > 0 else {
      self.delegate?.onImageProcessorCompleted(status: -1, stylizedImage: nil)
      return
    }
    guard let cgImage = observations[0].pixelBuffer.toCGImage() else {
      self.delegate?.onImageProcessorCompleted(status: -1, stylizedImage: nil)
      return
    }
    self.delegate?.onImageProcessorCompleted(status: 1, stylizedImage: cgImage)
  }
}

extension CVPixelBuffer {
  func toCGImage() -> CGImage? {
    let ciImage = CIImage(cvPixelBuffer: self)
    return CIContext().createCGImage(ciImage, from: ciImage.extent)
  }
}

/// The network's last layer. The book shows two forms of it, and this is the second, vectorised one. It calls the same
/// functions of Accelerate as the book.
class RescaleOutputLambda: NSObject, MLCustomLayer {
  required init(parameters: [String: Any]) throws { super.init() }

  func setWeightData(_ weights: [Data]) throws {}

  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    return inputShapes
  }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    var addition: Float = 1.0
    var factor: Float = 127.5
    for (i, _) in inputs.enumerated() {
      let input = inputs[i]
      let output = outputs[i]
      let count = input.count
      let from = UnsafeMutablePointer<Float>(OpaquePointer(input.dataPointer))
      let to = UnsafeMutablePointer<Float>(OpaquePointer(output.dataPointer))
      vDSP_vsadd(from, 1, &addition, to, 1, vDSP_Length(count))
      vDSP_vsmul(to, 1, &factor, to, 1, vDSP_Length(count))
    }
  }
}

/// The cropping layer, element by element. The book's loops end at `…-4` and do not write the last row and column of
/// the result. The loops here end at `…-3`.
class ResCropBlockLambda: NSObject, MLCustomLayer {
  required init(parameters: [String: Any]) throws { super.init() }

  func setWeightData(_ weights: [Data]) throws {}

  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    return [
      [
        NSNumber(value: inputShapes[0][0].intValue), NSNumber(value: inputShapes[0][1].intValue),
        NSNumber(value: inputShapes[0][2].intValue),
        NSNumber(value: inputShapes[0][3].intValue - 4),
        NSNumber(value: inputShapes[0][4].intValue - 4),
      ]
    ]
  }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (i, input) in inputs.enumerated() {
      let shape = input.shape
      for c in 0..<shape[2].intValue {
        for w in 2...(shape[3].intValue - 3) {
          for h in 2...(shape[4].intValue - 3) {
            let from = [
              NSNumber(value: 0), NSNumber(value: 0), NSNumber(value: c), NSNumber(value: w),
              NSNumber(value: h),
            ]
            let to = [
              NSNumber(value: 0), NSNumber(value: 0), NSNumber(value: c),
              NSNumber(value: w - 2), NSNumber(value: h - 2),
            ]
            outputs[i][to] = input[from]
          }
        }
      }
    }
  }
}
