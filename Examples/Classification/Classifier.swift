import CoreImage
import ImageIO
import Vision

/// Classifies photos as the tutorial does: with one Vision request, which is created when it is first needed and then
/// used for every photo.
final class Classifier {
  private let modelURL: URL
  private var top: [(confidence: VNConfidence, identifier: String)] = []

  init(modelURL: URL) {
    self.modelURL = modelURL
  }

  private lazy var classificationRequest: Result<VNCoreMLRequest, any Error> = Result {
    let model = try VNCoreMLModel(for: MLModel(contentsOf: modelURL))
    let request = VNCoreMLRequest(model: model) { [weak self] request, error in
      self?.processClassifications(for: request, error: error)
    }
    request.imageCropAndScaleOption = .centerCrop
    return request
  }

  /// Returns the five most probable classes of a photo.
  func classify(
    _ image: CIImage, orientation: CGImagePropertyOrientation
  ) throws -> [(confidence: VNConfidence, identifier: String)] {
    let handler = VNImageRequestHandler(ciImage: image, orientation: orientation)
    try handler.perform([classificationRequest.get()])
    return top
  }

  private func processClassifications(for request: VNRequest, error: (any Error)?) {
    guard let classifications = request.results as? [VNClassificationObservation] else { return }
    top = classifications.prefix(5).map { (confidence: $0.confidence, identifier: $0.identifier) }
  }
}
