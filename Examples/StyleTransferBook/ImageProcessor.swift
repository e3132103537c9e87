import CoreImage
import Dispatch
import Vision

/// Who is told when a picture is painted: status 1 and the painting, or -1 and the reason.
protocol ImageProcessorDelegate: AnyObject {
  func onImageProcessorCompleted(status: Int, stylizedImage: CGImage?, reason: String?)
}

/// The book's flow: Vision crops and scales the photo, the model paints it, the delegate gets it.
final class ImageProcessor: @unchecked Sendable {
  // `@unchecked Sendable`: set up once, then used by one photo at a time.

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
        // The request's own handler has told the delegate.
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
        reason: error?.localizedDescription ?? "The model gave no picture.")
      return
    }
    delegate?.onImageProcessorCompleted(status: 1, stylizedImage: painting, reason: nil)
  }
}
