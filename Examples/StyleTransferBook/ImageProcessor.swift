import CoreImage
import Dispatch
import Vision

/// Receives the painting with status 1, or the reason for a failure with status -1.
protocol ImageProcessorDelegate: AnyObject {
  func onImageProcessorCompleted(status: Int, stylizedImage: CGImage?, reason: String?)
}

/// Paints a photo as the book does: Vision crops and scales the photo, the model paints it, and the delegate receives
/// the painting.
final class ImageProcessor: @unchecked Sendable {
  // `@unchecked Sendable`: the properties are set once, and only one photo is painted at a time.

  weak var delegate: (any ImageProcessorDelegate)?
  private let model: VNCoreMLModel

  init(modelURL: URL) throws {
    let network = try FastStyleTransferVanGoghStarryNight(contentsOf: modelURL)
    model = try VNCoreMLModel(for: network.model)
  }

  func processImage(ciImage: CIImage) {
    DispatchQueue.global(qos: .userInitiated).async {
      let handler = VNImageRequestHandler(ciImage: ciImage)
      do {
        try handler.perform([self.request()])
      } catch {
        // The completion handler of the request has already reported this error to the delegate.
      }
    }
  }

  private func request() -> VNCoreMLRequest {
    let request = VNCoreMLRequest(
      model: model,
      completionHandler: { [weak self] request, error in
        self?.processRequest(for: request, error: error)
      })
    request.imageCropAndScaleOption = .centerCrop
    return request
  }

  private func processRequest(for request: VNRequest, error: (any Error)?) {
    guard let observations = request.results as? [VNPixelBufferObservation],
      let painting = observations.first?.pixelBuffer.toCGImage()
    else {
      delegate?.onImageProcessorCompleted(
        status: -1, stylizedImage: nil,
        reason: error?.localizedDescription ?? "The model returned no picture.")
      return
    }
    delegate?.onImageProcessorCompleted(status: 1, stylizedImage: painting, reason: nil)
  }
}
