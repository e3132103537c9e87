import CoreML
import Dispatch

/// The user's own model for drawings. It starts as a copy of the bundled model, and learns from the user's drawings.
///
/// The model is in the user's application support folder. An update writes the updated model beside the old one, then
/// replaces the old one in one atomic step. So the program may be killed at any time.
struct PersonalModel {
  private let personal: URL
  private let draft: URL

  /// Copies the bundled model into the application support folder if no model is there yet.
  init(bundled: URL) throws {
    let manager = FileManager.default
    guard
      let folder = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    else { throw CocoaError(.fileNoSuchFile) }
    personal = folder.appendingPathComponent("personalized.mlmodelc")
    draft = folder.appendingPathComponent("personalized_tmp.mlmodelc")
    guard !manager.fileExists(atPath: personal.path) else { return }
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try manager.replaceItemAt(personal, withItemAt: try MLModel.compileModel(at: bundled))
  }

  /// Reads a drawing from a file, in the model's pixel format and size.
  func drawing(_ file: URL) throws -> MLFeatureValue {
    guard let source = CGImageSourceCreateWithURL(file as CFURL, nil),
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil),
      let constraint = try UpdatableDrawingClassifier(contentsOf: personal).imageConstraint
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path]) }
    return try MLFeatureValue(cgImage: image, constraint: constraint)
  }

  /// Returns the label of a drawing, or nil if no learned drawing is similar.
  func meaning(of drawing: MLFeatureValue) throws -> String? {
    try UpdatableDrawingClassifier(contentsOf: personal).label(of: drawing)
  }

  /// Updates the model with drawings of an emoji, and saves it.
  func teach(_ emoji: String, _ drawings: [MLFeatureValue]) throws {
    let examples: [any MLFeatureProvider] = try drawings.map { drawing in
      try MLDictionaryFeatureProvider(
        dictionary: ["drawing": drawing, "label": MLFeatureValue(string: emoji)])
    }
    let update = Update()
    let done = DispatchSemaphore(value: 0)
    let task = try MLUpdateTask(
      forModelAt: personal, trainingData: MLArrayBatchProvider(array: examples),
      configuration: nil,
      completionHandler: { [self] context in
        update.outcome = Result { try save(context) }
        done.signal()
      })
    task.resume()
    done.wait()
    try update.outcome?.get()
  }

  /// Saves the updated model as the tutorial does: writes it to another path, then replaces the old model with it.
  private func save(_ context: MLUpdateContext) throws {
    if let error = context.task.error { throw error }
    let manager = FileManager.default
    try manager.createDirectory(at: draft, withIntermediateDirectories: true, attributes: nil)
    try context.model.write(to: draft)
    _ = try manager.replaceItemAt(personal, withItemAt: draft)
  }

  private final class Update: @unchecked Sendable {
    // `@unchecked Sendable`: the semaphore orders writing before reading.
    var outcome: Result<Void, any Error>?
  }
}
