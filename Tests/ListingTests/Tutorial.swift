// The code that a reader of the Core ML 3 tutorial writes, without the screens. The API calls are the tutorial's, and
// the rest is ours.

import CoreImage
import CoreML
import Foundation
import Vision

class SqueezeNet {
  nonisolated(unsafe) static var location = URL(fileURLWithPath: "/")
  let model: MLModel

  init() { model = try! MLModel(contentsOf: Self.location) }
}

class Classifying {
  var top: [String] = []

  private lazy var classificationRequest: VNCoreMLRequest = {
    do {
      let model = try VNCoreMLModel(for: SqueezeNet().model)
      let request = VNCoreMLRequest(model: model) { [weak self] request, error in
        guard let self = self else { return }
        self.processClassifications(for: request, error: error)
      }
      request.imageCropAndScaleOption = .centerCrop
      return request
    } catch {
      fatalError("no model: \(error)")
    }
  }()

  func processClassifications(for request: VNRequest, error: Error?) {
    if let classifications = request.results as? [VNClassificationObservation] {
      let topClassifications = classifications.prefix(2).map {
        (confidence: $0.confidence, identifier: $0.identifier)
      }
      top = topClassifications.map { $0.identifier.lowercased() }
    }
  }

  func classifyImage(_ ciImage: CIImage, rawOrientation: UInt32) {
    guard let orientation = CGImagePropertyOrientation(rawValue: UInt32(rawOrientation)) else {
      return
    }
    let handler = VNImageRequestHandler(ciImage: ciImage, orientation: orientation)
    do {
      try handler.perform([self.classificationRequest])
    } catch {
      print("failed: \(error.localizedDescription)")
    }
  }
}

/// The model's class as Xcode generates it, except for the model's location.
class UpdatableDrawingClassifier {
  nonisolated(unsafe) static var urlOfModelInThisBundle = URL(fileURLWithPath: "/")
  let model: MLModel

  init(contentsOf url: URL) throws { model = try MLModel(contentsOf: url) }

  convenience init() { try! self.init(contentsOf: type(of: self).urlOfModelInThisBundle) }

  func prediction(drawing: CVPixelBuffer) throws -> (label: String, features: MLFeatureProvider) {
    let input = try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing])
    let output = try model.prediction(from: input)
    return (output.featureValue(for: "label")!.stringValue, output)
  }
}

extension UpdatableDrawingClassifier {
  var imageConstraint: MLImageConstraint {
    return model.modelDescription.inputDescriptionsByName["drawing"]!.imageConstraint!
  }

  func predictLabelFor(_ value: MLFeatureValue) -> String? {
    guard let pixelBuffer = value.imageBufferValue,
      let prediction = try? prediction(drawing: pixelBuffer).label
    else { return nil }
    if prediction == "unknown" { return nil }
    return prediction
  }

  static func updateModel(
    at url: URL, with trainingData: MLBatchProvider,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) {
    do {
      let updateTask = try MLUpdateTask(
        forModelAt: url, trainingData: trainingData, configuration: nil,
        completionHandler: completionHandler)
      updateTask.resume()
    } catch {
      print("no update task")
    }
  }
}

struct UpdatableModel {
  nonisolated(unsafe) private static var updatedDrawingClassifier: UpdatableDrawingClassifier?
  nonisolated(unsafe) static var appDirectory = FileManager.default.urls(
    for: .applicationSupportDirectory, in: .userDomainMask
  ).first!
  private static var defaultModelURL: URL { UpdatableDrawingClassifier.urlOfModelInThisBundle }
  private static var updatedModelURL: URL {
    appDirectory.appendingPathComponent("personalized.mlmodelc")
  }
  private static var tempUpdatedModelURL: URL {
    appDirectory.appendingPathComponent("personalized_tmp.mlmodelc")
  }

  private init() {}

  static var imageConstraint: MLImageConstraint {
    let model = updatedDrawingClassifier ?? UpdatableDrawingClassifier()
    return model.imageConstraint
  }
}

extension UpdatableModel {
  static func predictLabelFor(_ value: MLFeatureValue) -> String? {
    loadModel()
    return updatedDrawingClassifier?.predictLabelFor(value)
  }

  static func updateWith(
    trainingData: MLBatchProvider, completionHandler: @escaping () -> Void
  ) {
    loadModel()
    UpdatableDrawingClassifier.updateModel(at: updatedModelURL, with: trainingData) { context in
      saveUpdatedModel(context)
      completionHandler()
    }
  }
}

extension UpdatableModel {
  fileprivate static func loadModel() {
    let fileManager = FileManager.default
    if !fileManager.fileExists(atPath: updatedModelURL.path) {
      do {
        let parent = updatedModelURL.deletingLastPathComponent()
        try fileManager.createDirectory(
          at: parent, withIntermediateDirectories: true, attributes: nil)
        let toTemp = parent.appendingPathComponent(defaultModelURL.lastPathComponent)
        try fileManager.copyItem(at: defaultModelURL, to: toTemp)
        try fileManager.moveItem(at: toTemp, to: updatedModelURL)
      } catch {
        print("error: \(error)")
        return
      }
    }
    guard let model = try? UpdatableDrawingClassifier(contentsOf: updatedModelURL) else { return }
    updatedDrawingClassifier = model
  }

  fileprivate static func saveUpdatedModel(_ updateContext: MLUpdateContext) {
    let updatedModel = updateContext.model
    let fileManager = FileManager.default
    do {
      try fileManager.createDirectory(
        at: tempUpdatedModelURL, withIntermediateDirectories: true, attributes: nil)
      try updatedModel.write(to: tempUpdatedModelURL)
      _ = try fileManager.replaceItemAt(updatedModelURL, withItemAt: tempUpdatedModelURL)
    } catch let error {
      print("not saved: \(error)")
      return
    }
  }
}

struct Drawing {
  let image: CGImage

  var featureValue: MLFeatureValue {
    let imageConstraint = UpdatableModel.imageConstraint
    let imageFeatureValue = try? MLFeatureValue(cgImage: image, constraint: imageConstraint)
    return imageFeatureValue!
  }
}

struct DrawingDataStore {
  let emoji: String
  let drawings: [Drawing?]

  func prepareTrainingData() throws -> MLBatchProvider {
    var featureProviders: [MLFeatureProvider] = []
    let inputName = "drawing"
    let outputName = "label"
    for drawing in drawings {
      if let drawing = drawing {
        let inputValue = drawing.featureValue
        let outputValue = MLFeatureValue(string: emoji)
        let dataPointFeatures: [String: MLFeatureValue] = [
          inputName: inputValue, outputName: outputValue,
        ]
        if let provider = try? MLDictionaryFeatureProvider(dictionary: dataPointFeatures) {
          featureProviders.append(provider)
        }
      }
    }
    return MLArrayBatchProvider(array: featureProviders)
  }
}
