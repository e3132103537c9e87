import CoreML
import Foundation

/// A Core ML model with an image input, for ``CoreMLRequest``.
public struct CoreMLModelContainer: Sendable, Hashable {
  /// The values of the model's other inputs. `@unchecked Sendable`: requests only read them, and the caller must not
  /// change them while requests run.
  private struct Features: @unchecked Sendable {
    let provider: (any MLFeatureProvider)?
  }

  private let model: MLModel
  private let features: Features

  /// The name of the input that gets the image. The default is the name of the model's first image input.
  public var inputImageFeatureName: String

  /// Makes a container.
  ///
  /// - Parameter featureProvider: The values of the model's other inputs.
  /// - Throws: ``VNError`` for a model without an image input.
  public init(model: MLModel, featureProvider: (any MLFeatureProvider)? = nil) throws {
    inputImageFeatureName = try VNCoreMLModel(for: model).inputImageFeatureName
    self.model = model
    features = Features(provider: featureProvider)
  }

  /// The model in the form that requests of the older interface need.
  var older: VNCoreMLModel {
    get throws {
      let older = try VNCoreMLModel(for: model)
      older.inputImageFeatureName = inputImageFeatureName
      older.featureProvider = features.provider
      return older
    }
  }

  /// The class labels of the model, as text; nil for a model without labels.
  var labels: [String]? { model.modelDescription.classLabels?.map { "\($0)" } }

  /// Returns whether both containers hold the same model object and use the same input.
  public static func == (left: CoreMLModelContainer, right: CoreMLModelContainer) -> Bool {
    left.model === right.model
      && left.inputImageFeatureName == right.inputImageFeatureName
  }

  /// Hashes the model object and the name of the input.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(model))
    hasher.combine(inputImageFeatureName)
  }
}

/// A request that runs a Core ML model on an image. See ``VNCoreMLRequest``.
public struct CoreMLRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// The only revision.
    case revision1
  }

  /// ``ClassificationObservation``, ``RecognizedObjectObservation``, ``PixelBufferObservation`` or
  /// ``CoreMLFeatureValueObservation`` values, depending on the kind of the model.
  public typealias Result = [any VisionObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// How the image is scaled to the size of the model's input.
  public var cropAndScaleAction: ImageCropAndScaleAction = .scaleToFill
  /// The model.
  public let modelContainer: CoreMLModelContainer
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(model: CoreMLModelContainer, _ revision: Revision? = nil) {
    modelContainer = model
    self.revision = revision ?? .revision1
  }

  /// The labels of the model's classes; nil for a model without labels.
  public var supportedIdentifiers: [String]? { modelContainer.labels }

  /// Runs the model on an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNCoreMLRequest(model: try modelContainer.older)
    request.regionOfInterest = regionOfInterest.cgRect
    request.imageCropAndScaleOption = cropAndScaleAction.option
    return try request.observations(in: image.image).compactMap { observation in
      switch observation {
      case let object as VNRecognizedObjectObservation: RecognizedObjectObservation(object)
      case let entry as VNClassificationObservation: ClassificationObservation(entry)
      case let picture as VNPixelBufferObservation: PixelBufferObservation(picture)
      case let value as VNCoreMLFeatureValueObservation: CoreMLFeatureValueObservation(value)
      default: nil
      }
    }
  }
}
